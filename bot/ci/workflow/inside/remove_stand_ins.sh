# Stand-ins that go round a program go where it is missing; the others go where it is there.
for program in uv corepack pipx conda yarn; do
  found=$(PATH=${PATH//"$HOME/.ci/bin:"/} command -v $program || true)
  case $program:$found in uv: | corepack: | pipx:?* | conda:?* | yarn:?*) rm ~/.ci/bin/$program ;; esac
done
