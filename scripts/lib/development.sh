# Sourced by the scripts, with the root of the repository in `root`.
# shellcheck disable=SC2034

# The options by which SwiftPM builds everything (see Package.swift), and not the library alone.
development=(--package-path "$root/Development" --scratch-path "$root/.build")

# The options of the programs that users run. Without symbols they are half as large; to profile a program, build it
# without the options for the linker.
release=(-c release --static-swift-stdlib -Xlinker -s -Xlinker --no-export-dynamic)
