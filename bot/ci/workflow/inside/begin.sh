# What every step begins with: what earlier steps wrote to GITHUB_ENV and GITHUB_PATH, and where its outputs go.
ci_set_up() {
  export GITHUB_OUTPUT=~/.ci/outputs/$1
  local file
  for file in ~/.ci/env ~/.ci/path; do  # what the next step adds begins a line
    [ -z "$(tail -c 1 "$file" 2>/dev/null)" ] || echo >>"$file"
  done
  ci_pairs ~/.ci/env ci_export
  [[ :$PATH: == *":$HOME/.ci/bin:"* ]] || PATH=$HOME/.ci/bin:$PATH
  local folder
  while IFS= read -r folder; do
    [ -z "$folder" ] || PATH=$folder:$PATH
  done <~/.ci/path
  export PATH
}
ci_set_up "${1:-none}"
