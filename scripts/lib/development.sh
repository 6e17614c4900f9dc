# Sourced by the scripts, with the root of the repository in `root`: the options by which SwiftPM builds
# everything (see Package.swift), and not the library alone.
# shellcheck disable=SC2034
development=(--package-path "$root/Development" --scratch-path "$root/.build")
