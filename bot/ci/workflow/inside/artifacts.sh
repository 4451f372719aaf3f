# Artifacts that steps keep for later jobs, and those of earlier ones; see artifacts.py.
# ci_keep_artifact NAME HIDDEN PATHS: keep files for the jobs that run after this one.
ci_keep_artifact() {
  python3 ~/.ci/artifacts.py keep @ARTIFACTS@ "$@" || ci_said "There are no files for the artifact $1."
}

# ci_take_artifacts NAME PATTERN PATH MERGE EACH: unpack what earlier jobs kept.
ci_take_artifacts() {
  python3 ~/.ci/artifacts.py take @ARTIFACTS@ "$@" || ci_said "The artifact${1:+ $1}${2:+ $2} of an earlier job is not available here."
  (mkdir -p "${3:-.}" && cd "${3:-.}" && echo "download-path=$PWD" >>"$GITHUB_OUTPUT")
}
