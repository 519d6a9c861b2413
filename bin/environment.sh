# Read by bin/safepoint and bin/test: finds a Python and keeps .venv up to date. Sets $venv.
# $here is the repository.

venv=$here/.venv

say() { echo "safepoint: $*" >&2; }

find_python() {
    for python in ${SAFEPOINT_PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python3.10}; do
        if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
            return 0
        fi
    done
    if [ -n "${SAFEPOINT_PYTHON:-}" ]; then
        say "SAFEPOINT_PYTHON=$SAFEPOINT_PYTHON is no Python 3.10 or later."
    else
        say "no Python 3.10 or later was found (python3, python3.10 to python3.14)."
        say "Install one, or name it: SAFEPOINT_PYTHON=/path/to/python3 $0"
    fi
    exit 1
}

# What the environment was made from; another value means: make it anew.
stamp_of() { echo "$1 $(cksum <"$here/pyproject.toml") $here"; }

is_ready() {
    [ -x "$venv/bin/python" ] && [ -f "$venv/.safepoint" ] || return 1
    read -r made <"$venv/.safepoint" || return 1
    # An environment with the dev extra serves both.
    [ "$made" = "$(stamp_of "$1")" ] || [ "$made" = "$(stamp_of dev)" ]
}

# make_environment EXTRA ("" or dev)
make_environment() {
    extra=${1:-run}
    is_ready "$extra" && return 0
    find_python
    # mkdir is the lock: one process makes the environment, the others wait for it.
    lock=$here/.venv.lock
    waited=0
    until mkdir "$lock" 2>/dev/null; do
        [ -d "$lock" ] || { say "cannot write to $here"; exit 1; }
        other=$(cat "$lock/pid" 2>/dev/null || echo)
        if [ -n "$other" ] && ! kill -0 "$other" 2>/dev/null; then
            rm -rf "$lock"
            continue
        fi
        [ $waited -ne 0 ] || say "another process is making the environment; waiting for it"
        waited=$((waited + 1))
        [ $waited -le 600 ] || { say "gave up after 10 minutes; if no other is at work, delete $lock"; exit 1; }
        sleep 1
    done
    trap 'rm -rf "$lock"' EXIT
    trap 'exit 130' INT TERM HUP
    echo $$ >"$lock/pid"
    is_ready "$extra" || build "$extra"
    rm -rf "$lock"
    trap - EXIT INT TERM HUP
}

build() {
    target="$here[mcp]"
    [ "$1" != dev ] || target="$here[dev]"
    say "first use, or its dependencies changed: making $venv with $("$python" -V 2>&1)"
    rm -f "$venv/.safepoint"
    if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
        if ! "$python" -m venv --clear "$venv" >&2; then
            say "$python cannot make a virtual environment."
            say "On Debian and Ubuntu: apt install python3-venv. Or name another: SAFEPOINT_PYTHON=..."
            exit 1
        fi
    fi
    say "installing the packages it needs"
    if ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -e "$target" >&2 </dev/null; then
        say "pip could not install the packages (see above); there is no way on without them."
        exit 1
    fi
    stamp_of "$1" >"$venv/.safepoint"
    say "ready"
}
