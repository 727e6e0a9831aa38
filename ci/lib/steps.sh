# shellcheck shell=bash
# For the scripts that run steps: their times, what they counted, and what they need. Sourced after `budget` (seconds
# a step on two quiet cores, from a fresh clone), `other_budget` and `whole_budget` are set.

passed=0 failed=0 not_run=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
table=''
# Names that tests carry because of what they need: what is here and what is not.
needs=() lacks=()

# Runs a step, shows its time and notes it for the table. A step that fails without a failed test counts as one
# failure; one over its budget is marked and fails nothing: the machine may have been busy. Later steps run all the same.
step() {
  local name=$1 start=$SECONDS before=$failed word=ok took allowed
  shift
  allowed=${budget[${name%% needs_*}]:-$other_budget}
  printf '\n== %s (budget %d s)\n' "$name" "$allowed"
  if ! "$@"; then
    word=FAILED
    [ "$failed" -gt "$before" ] || failed=$((failed + 1))
  fi
  took=$((SECONDS - start))
  printf '== %s: %s, %d s\n' "$name" "$word" "$took"
  [ "$took" -le "$allowed" ] || word+=', over its budget'
  table+=$(printf '%-50s %5d %7d  %s' "${name:0:50}" "$took" "$allowed" "$word")$'\n'
}

# A step that cannot be done here, and why.
left_out() {
  echo "not run: $1 ($2)"
  table+=$(printf '%-50s %5s %7s  not run: %s' "${1:0:50}" - - "$2")$'\n'
}

# The table of times, then `N passed, N failed`; fails where something did.
finish() {
  printf '\n%-50s %5s %7s\n%s' step took budget "$table"
  printf '%-50s %5d %7d%s\n' 'in all' "$SECONDS" "${whole_budget:?}" \
    "$([ "$SECONDS" -le "$whole_budget" ] || echo '  over the budget')"
  printf '\n%d s in all, %d tests not run\n' "$SECONDS" "$not_run"
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}

has() { command -v "$1" >/dev/null; }

# An arm64 Linux needs no qemu, and runs the other tests on its own processor.
runs_arm64() { [ "$(uname -m)" = x86_64 ] && has qemu-aarch64 && [ -e /usr/aarch64-linux-gnu/lib/libstdc++.so.6 ]; }

# install_packages OPTIONAL PACKAGE…: installs what is missing as root on Debian or Ubuntu, says what is missing otherwise. It
# fails for a package that the regular expression OPTIONAL does not match.
install_packages() {
  local optional=$1 package there=() root=()
  shift
  [ $# -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ] && sudo -n true 2>/dev/null; then root=(sudo -n); fi
  if has apt-get && { [ "$(id -u)" -eq 0 ] || [ "${#root[@]}" -gt 0 ]; }; then
    "${root[@]}" apt-get update -qq || return 1
    for package; do
      # Not every release of these systems has all of them.
      if ! [[ $package =~ ^($optional)$ ]] || apt-cache show "$package" >/dev/null 2>&1; then there+=("$package"); fi
    done
    [ "${#there[@]}" -eq 0 ] || "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "${there[@]}" >/dev/null
  else
    echo "missing: $* (install them, or run this as root)" >&2
    for package; do [[ $package =~ ^($optional)$ ]] || return 1; done
  fi
}

# Adds up the numbers of the summaries that the runner printed. None at all is a failure: nothing ran.
count() {
  local line number word found=0
  while IFS= read -r line; do
    found=1
    while read -r number word; do
      case $word in
        passed) passed=$((passed + number)) ;;
        failed | "timed out" | "exec failed") failed=$((failed + number)) ;;
        ignored | skipped) skipped=$((skipped + number)) ;;
      esac
    done < <(grep -oE '[0-9]+ (passed|failed|timed out|exec failed|ignored|skipped)' <<<"$line")
  done < <(sed 's/\x1b\[[0-9;]*m//g' "$log" | grep -E '^ *Summary \[|^test result:' || true)
  [ "$found" -eq 1 ]
}

# Runs tests and counts them.
run_tests() {
  local status=0
  skipped=0
  "$@" 2>&1 | tee "$log" || status=$?
  count && return "$status"
}

# need NAME WHY COMMAND…: whether the tests that carry the name are run; why not, where they are not.
need() {
  local name=$1 why=$2
  shift 2
  if "$@"; then
    needs+=("$name")
  else
    lacks+=("$name")
    echo "not run: tests named $name ($why)"
  fi
}

# Tests that are ignored by default because of what they need, by a part of their names. A test that needs two things
# has both in its name, and is left out where one is missing.
ignored_tests() {
  local name without=()
  for name in "${lacks[@]}"; do without+=(--skip "$name"); done
  if cargo nextest --version >/dev/null 2>&1; then
    run_tests cargo nextest run --workspace --no-fail-fast --run-ignored only --no-tests pass -- "$@" "${without[@]}"
  else
    run_tests cargo test --workspace --no-fail-fast --tests -- --ignored "$@" "${without[@]}"
  fi
}
