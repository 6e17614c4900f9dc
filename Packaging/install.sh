#!/usr/bin/env bash
# Installs Pawl from the folder of this script.
#   ./install.sh [--prefix FOLDER] [--no-browsers]   installs, or upgrades an earlier version
#   ./install.sh [--prefix FOLDER] --uninstall       removes what the script has installed
# The default prefix is /usr/local for root, and ~/.local for other users. The browser extension is connected with
# the browsers of the user, or as root with those of all users, unless --no-browsers is given. Downloads, the queue
# and the config file are never changed.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")

fail() {
    printf 'install.sh: %s\n' "$@" >&2
    exit 1
}

help() { sed -nE '2,/^set/s/^# ?//p' "$0"; }

usage() {
    help >&2
    exit 2
}

prefix='' uninstalls='' connects=1
while [ $# -gt 0 ]; do
    case $1 in
        --prefix)
            [[ $# -ge 2 && -n $2 ]] || usage
            prefix=$2
            shift
            ;;
        --prefix=?*) prefix=${1#*=} ;;
        --uninstall) uninstalls=1 ;;
        --no-browsers) connects='' ;;
        --help | -h)
            help
            exit
            ;;
        *) usage ;;
    esac
    shift
done
if [ -z "$prefix" ]; then
    if [ "$(id -u)" -eq 0 ]; then prefix=/usr/local; else prefix=${HOME:?is not set}/.local; fi
fi
prefix=$(realpath -m -- "$prefix")
# The path becomes a part of the systemd unit, where other characters would need quotes.
[[ $prefix =~ ^/[A-Za-z0-9/._+@-]*$ ]] ||
    fail "the prefix contains characters that are not supported: $prefix" \
        'Use letters, digits and / . _ + @ - only.'
# The package manager owns the files there.
[ "$prefix" != /usr ] || fail 'the prefix /usr is for packages' 'Use /usr/local.'

# The files that were installed, and with a slash at the end the folders that were created for them, one path per line,
# relative to the prefix.
manifest=$prefix/share/pawl/installed

# Fails if a program does not start on this system.
check_system() {
    local program missing
    for program in pawl pawld; do
        "$here/bin/$program" --version >/dev/null 2>&1 || {
            missing=$(ldd "$here/bin/$program" 2>&1 | grep -E 'not found|not a dynamic' | sed 's/^[[:space:]]*//') || :
            fail "$program does not run on this system:" "${missing:-it exits with an error}" \
                'If shared libraries are missing, install them with the package manager of the system.'
        }
    done
}

# Prints the paths of all files to install.
files() { (cd "$here" && find bin share -type f -print | LC_ALL=C sort); }

# Creates a folder below the prefix, and notes it and those above it that did not exist.
make_folder() {
    [ ! -d "$prefix/$1" ] || return 0
    [ "$1" = . ] || make_folder "$(dirname "$1")"
    mkdir -p "$prefix/$1"
    [ "$1" = . ] || echo "$1/" >>"$notes"
}

install_files() {
    local file mode
    while IFS= read -r file; do
        make_folder "$(dirname "$file")"
        mode=644
        [ ! -x "$here/$file" ] || mode=755
        # The file gets its name last, so that a running program is not changed.
        cp -f "$here/$file" "$prefix/$file.new"
        chmod "$mode" "$prefix/$file.new"
        case $file in
            share/systemd/user/* | share/pawl/org.pawl.host) sed -i "s|/usr/bin/|$prefix/bin/|" "$prefix/$file.new" ;;
            share/pawl/hosts/*) sed -i "s|/usr/share/|$prefix/share/|" "$prefix/$file.new" ;;
        esac
        mv -f "$prefix/$file.new" "$prefix/$file"
    done < <(files)
}

# Removes the files and folders whose paths are on standard input; a folder only if it is empty.
remove_files() {
    local path
    # In the reverse order, a folder follows the files in it.
    while IFS= read -r path; do
        # A list that somebody has changed must not lead out of the prefix.
        [[ /$path/ != */../* && $path != /* ]] || continue
        case $path in
            */) rmdir -- "$prefix/$path" 2>/dev/null || : ;;
            *) rm -f -- "$prefix/$path" ;;
        esac
    done < <(LC_ALL=C sort -r)
}

# Updates the desktop's lists of types and programs, if there are such lists.
update_lists() {
    if [ -d "$prefix/share/mime/packages" ] && command -v update-mime-database >/dev/null; then
        update-mime-database "$prefix/share/mime" 2>/dev/null || :
    fi
    if [ -d "$prefix/share/applications" ] && command -v update-desktop-database >/dev/null; then
        update-desktop-database -q "$prefix/share/applications" 2>/dev/null || :
    fi
}

# Removes the lists if their folders were created for Pawl and contain nothing else.
remove_lists() {
    if grep -qx share/mime/ "$notes" && [ -z "$(ls -A "$prefix/share/mime/packages" 2>/dev/null)" ]; then
        rm -rf "$prefix/share/mime"
    fi
    if grep -qx share/applications/ "$notes" &&
        [ "$(ls -A "$prefix/share/applications" 2>/dev/null)" = mimeinfo.cache ]; then
        rm -r "$prefix/share/applications"
    fi
}

# The folders in which browsers look for native hosts of all users, each with its manifest.
host_folders='/etc/chromium/native-messaging-hosts chromium
/etc/opt/chrome/native-messaging-hosts chromium
/usr/lib/mozilla/native-messaging-hosts firefox'

# Prints the manifests of all users that name the host below this prefix.
own_hosts() {
    local folder
    while read -r folder _; do
        ! grep -qsF "\"$prefix/share/pawl/org.pawl.host\"" "$folder/org.pawl.host.json" ||
            echo "$folder/org.pawl.host.json"
    done <<<"$host_folders"
}

# Lets browsers start the native host of the extension.
connect_browsers() {
    local folder name file
    if [ "$(id -u)" -ne 0 ]; then
        # Without a browser, it fails; the user can run it later.
        "$prefix/bin/pawl" native-host install 2>&1 | grep '^Connected' || :
        return
    fi
    while read -r folder name; do
        file=$folder/org.pawl.host.json
        if [ -e "$file" ] && ! own_hosts | grep -qxF "$file"; then
            echo "$file belongs to another installation of Pawl, so it is kept."
            continue
        fi
        mkdir -p "$folder"
        install -m 644 "$prefix/share/pawl/hosts/$name.json" "$file"
    done <<<"$host_folders"
}

# Removes what connect_browsers has written.
disconnect_browsers() {
    local file script configuration=${XDG_CONFIG_HOME:-${HOME-}/.config}
    if [ "$(id -u)" -eq 0 ]; then
        while IFS= read -r file; do
            rm -f "$file"
            # The folder and the one above it, if they are empty.
            rmdir "${file%/*}" "${file%/*/*}" 2>/dev/null || :
        done < <(own_hosts)
    fi
    for script in "$configuration"/{*,*/*}/NativeMessagingHosts/org.pawl.host \
        "${HOME-}/.mozilla/native-messaging-hosts/org.pawl.host"; do
        if grep -qsF "'$prefix/bin/pawl'" "$script"; then
            "$prefix/bin/pawl" native-host uninstall || :
            return
        fi
    done
}

install_all() {
    [ -x "$here/bin/pawl" ] || fail "bin/pawl is not in the folder of this script: $here"
    check_system
    make_folder share/pawl
    install_files
    files >>"$notes"
    if [ -e "$manifest" ]; then
        # Keeps the folders that an earlier version has created, and removes the files that this version does not have.
        grep '/$' "$manifest" >>"$notes" || :
        grep -vxFf "$notes" "$manifest" | remove_files || :
    fi
    sort -u "$notes" >"$manifest.new"
    mv -f "$manifest.new" "$manifest"
    update_lists
    [ -z "$connects" ] || connect_browsers
    echo "Installed in $prefix: $("$prefix/bin/pawl" --version)"
    explain
}

# Prints what the user may have to do next.
explain() {
    case :$PATH: in
        *":$prefix/bin:"*) ;;
        *) echo "$prefix/bin is not in PATH: add it there." ;;
    esac
    if [ "$(id -u)" -ne 0 ]; then
        echo "For completions in zsh, add this line to ~/.zshrc, before compinit is called:"
        echo "  fpath=($prefix/share/zsh/site-functions \$fpath)"
    fi
    echo 'To let systemd start the daemon on demand, run once as each user who wants this:'
    echo '  systemctl --user daemon-reload && systemctl --user enable --now pawld.socket'
    echo "The browser extension is in $prefix/share/pawl/extension; $prefix/share/doc/pawl/docs/extension.md"
    echo "describes how to load it. To connect a browser that is installed later: pawl native-host install"
    echo 'If a daemon of an earlier version is running, run: pawl daemon restart'
}

# Stops the daemon of this user if its program is about to be removed, and removes the units that start it.
stop_daemon() {
    local units=${XDG_CONFIG_HOME:-${HOME-}/.config}/systemd/user process
    if grep -qsF "$prefix/bin/pawld" "$units/pawld.service"; then
        "$prefix/bin/pawl" daemon uninstall || :
    fi
    if [ "$(systemctl --user show -p FragmentPath --value pawld.socket 2>/dev/null)" = \
        "$prefix/share/systemd/user/pawld.socket" ]; then
        systemctl --user disable --now pawld.socket pawld.service >/dev/null 2>&1 || :
    fi
    process=$("$prefix/bin/pawl" daemon status --json 2>/dev/null |
        sed -nE 's/.*"processIdentifier" *: *([0-9]+).*/\1/p') || :
    if [ -n "$process" ] && [[ $(readlink "/proc/$process/exe") == "$prefix/bin/pawld"* ]]; then
        "$prefix/bin/pawl" daemon stop || :
    fi
}

uninstall_all() {
    [ -e "$manifest" ] || fail "nothing is installed in $prefix"
    stop_daemon
    disconnect_browsers
    cp "$manifest" "$notes"
    echo "${manifest#"$prefix/"}" >>"$notes"
    # The files first, so that the new lists do not contain them.
    grep -v '/$' "$notes" | remove_files
    update_lists
    remove_lists
    grep '/$' "$notes" | remove_files || :
    echo "Removed from $prefix. Downloads, the queue and the config file are kept."
}

notes=$(mktemp)
trap 'rm -f "$notes"' EXIT
if [ -n "$uninstalls" ]; then uninstall_all; else install_all; fi
