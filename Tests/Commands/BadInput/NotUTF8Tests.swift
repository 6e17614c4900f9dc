import PawlCore
import PawlTesting
import Testing

/// Names that are not UTF-8 are used exactly as they are, or refused: replaced bytes would make
/// each of them the name of another file.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct NotUTF8Tests {
    private static let resource = Resource(size: 1000)

    /// Runs a shell script, in which `$0` is the program, `$1` the URL, and `$odd` a name that is
    /// not UTF-8.
    private func run(
        _ script: String,
        in workshop: Workshop,
        _ settings: ProcessSettings = ProcessSettings()
    ) async throws -> FinishedProcess {
        let odd = #"odd=$(printf 'a\377b'); "#
        return try await ProcessRunner.run(
            "sh",
            ["-c", odd + script, Workshop.program, workshop.url],
            workshop.complete(settings)
        )
    }

    @Test(arguments: [
        #"-o "$odd" "$1""#, #"--output="$odd" "$1""#, #"-d "$odd" "$1""#, #""$1" -i "$odd""#,
        #"inspect "$odd.part""#, #""$1?$odd""#, #"--user "me:$odd" "$1""#, #"--cacert "$odd" "$1""#,
        #"add -o "$odd" "$1""#, #"set 1 --name "$odd""#, #"show "$odd""#,
        #"daemon allow --folder "/$odd""#,
    ])
    func `an argument that is not UTF-8 is refused before anything is changed`(
        words: String
    ) async throws {
        let scene = try DaemonScene(Workshop(Self.resource))
        let run = try await run(#""$0" "# + words, in: scene.workshop, scene.settings)
        expectFailure(.usage, run)
        #expect(run.errors.contains("is not UTF-8"), "\(run.errors)")
        #expect(scene.workshop.folder.list().isEmpty)
        #expect(scene.home.list() == ["run"])
        #expect(scene.workshop.origin.requests.isEmpty)
    }

    @Test func `the error counts the argument and does not contain it`() async throws {
        let workshop = try Workshop(Self.resource)
        let run = try await run(#""$0" "$1" --user "me:s3cret$odd""#, in: workshop)
        #expect(run.errors.contains("argument 3 is not UTF-8"), "\(run.errors)")
        #expect(!run.errors.contains("s3cret"))
    }

    @Test func `the daemon's program refuses such an argument, too`() async throws {
        let scene = try DaemonScene(Workshop(Self.resource))
        let script = #"exec "$(dirname "$0")/pawld" --listen "$odd""#
        let run = try await run(script, in: scene.workshop, scene.settings)
        expectFailure(.usage, run)
        #expect(run.errors.contains("is not UTF-8"), "\(run.errors)")
    }

    @Test(arguments: [#"cd "$odd" && "$0" -q "$1""#, #"ln -s "$odd" link; "$0" -q -d link "$1""#])
    func `a file is saved in a folder whose name is not UTF-8`(words: String) async throws {
        let workshop = try Workshop(Self.resource)
        let script =
            #"home=$PWD; mkdir "$odd"; { \#(words); } >/dev/null; cd "$home"; rm -f link; "#
        let count = #"ls | wc -l; wc -c < "$odd/disk.iso"; rm -r "$odd""#
        let run = try await run(script + count, in: workshop)
        #expect(run.errors.isEmpty, "\(run.errors)")
        #expect(run.output.split(whereSeparator: \.isWhitespace) == ["1", "1000"])
    }

    @Test(arguments: ["add", "get --background"])
    func `the daemon is given no folder other than the current one`(verb: String) async throws {
        let scene = try DaemonScene(Workshop(Self.resource))
        let script = #"mkdir "$odd"; (cd "$odd" && "$0" \#(verb) "$1"); "#
        let end = #"status=$?; rmdir "$odd"; exit $status"#
        let run = try await run(script + end, in: scene.workshop, scene.settings)
        expectFailure(.directoryNotUsable, run)
        #expect(run.errors.contains("the current folder has a name that is not UTF-8"))
        #expect(scene.home.list() == ["run"])
    }

    @Test(arguments: ["HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"])
    func `a folder in the environment is not replaced by another`(name: String) async throws {
        let scene = try DaemonScene(Workshop(Self.resource))
        let script = #"export \#(name)="$PWD/$odd"; exec "$0" add "$1""#
        let run = try await run(script, in: scene.workshop, scene.settings)
        expectFailure(.directoryNotUsable, run)
        #expect(run.errors.contains("\(name) is not UTF-8"), "\(run.errors)")
        #expect(scene.workshop.folder.list().isEmpty)
        #expect(scene.home.list() == ["run"])
    }
}
