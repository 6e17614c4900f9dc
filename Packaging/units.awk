# Reads what `pawl daemon install --print` prints, and writes the units for all users into the folder `folder`.
# `tree`: the folder below which the program was when it printed this.

# The name of a unit precedes its text.
/^# .*\/pawld\.(socket|service)$/ {
    file = $0
    sub(/.*\//, "", file)
    file = folder "/" file
    next
}
# These comments are about the files of `pawl daemon install`.
/^# (Written by pawl daemon install|The next install overwrites)/ { next }
# systemd itself sets this variable for the services of a user.
/^Environment="XDG_RUNTIME_DIR=/ { next }
/^ListenStream=/ { sub(/=.*\/runtime\//, "=%t/") }
# Both paths can contain characters that a pattern would interpret.
/^ExecStart=/ {
    start = index($0, tree)
    if (start > 0) $0 = substr($0, 1, start - 1) substr($0, start + length(tree))
}
# The empty line between the two units.
file == "" { next }
{
    # Empty lines only between sections.
    if ($0 == "") { pending[file] = pending[file] "\n"; next }
    printf "%s%s\n", pending[file], $0 >file
    pending[file] = ""
}
/^Description=/ { print "Documentation=man:pawld(1) man:pawl-daemon(1)" >file }
