import PawlPostgres
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PostgresListenerTests {
    /// What a listener has reported.
    private struct Reports: Sendable {
        var listening = 0
        var interrupted: [PostgresError] = []
        var payloads: [String] = []
    }

    private func listen(
        _ scene: PostgresScene,
        _ channels: [String] = ["pawl"]
    ) -> (PostgresListener, Observed<Reports>) {
        let reports = Observed(Reports())
        let listener = PostgresListener(scene.address, channels: channels) { event in
            reports.update { reports in
                switch event {
                case .listening: reports.listening += 1
                case .notified(let one): reports.payloads.append("\(one.channel): \(one.payload)")
                case .interrupted(let error), .stopped(let error):
                    reports.interrupted.append(error)
                }
            }
        }
        return (listener, reports)
    }

    @Test func `notifications of other sessions arrive in the order of their commits`()
        async throws
    {
        let scene = try await PostgresScene()
        let (listener, reports) = listen(scene, ["pawl", "With \"quotes\""])
        await reports.wait { $0.listening == 1 }
        let sender = scene.connect()
        for number in 0..<100 {
            try sender.send("SELECT pg_notify('pawl', $1)", [.text("\(number)")])
        }
        try await sender.run("SELECT pg_notify($1, 'x')", [.text("With \"quotes\"")])
        try await sender.run("SELECT pg_notify('other', 'not for us')")
        try await sender.run("SELECT pg_notify('pawl', '')")
        let all = await reports.wait { $0.payloads.count == 102 }
        let numbers = (0..<100).map { "pawl: \($0)" }
        #expect(all.payloads == numbers + ["With \"quotes\": x", "pawl: "])
        listener.close()
    }

    @Test func `a notification of a transaction that is not committed does not arrive`()
        async throws
    {
        let scene = try await PostgresScene()
        let (listener, reports) = listen(scene)
        await reports.wait { $0.listening == 1 }
        let sender = scene.connect()
        try sender.send("BEGIN")
        try sender.send("NOTIFY pawl, 'rolled back'")
        try await sender.run("ROLLBACK")
        try await sender.run("NOTIFY pawl, 'committed'")
        let all = await reports.wait { !$0.payloads.isEmpty }
        #expect(all.payloads == ["pawl: committed"])
        listener.close()
    }

    @Test func `a listener whose session is ended reports it, and listens again`() async throws {
        let scene = try await PostgresScene()
        let (listener, reports) = listen(scene)
        await reports.wait { $0.listening == 1 }
        let sender = scene.connect()
        for round in 2...4 {
            try await sender.run(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """
            )
            let state = await reports.wait { $0.listening == round }
            #expect(state.interrupted.count == round - 1)
            #expect(state.interrupted.allSatisfy { $0.kind == .unreachable })
            try await sender.run("SELECT pg_notify('pawl', $1)", [.text("round \(round)")])
            await reports.wait { $0.payloads.last == "pawl: round \(round)" }
        }
        listener.close()
    }

    @Test func `a listener outlives a restart of the server`() async throws {
        try await PostgresCluster.run { cluster in
            let scene = try await PostgresScene(on: cluster)
            let (listener, reports) = listen(scene)
            await reports.wait { $0.listening == 1 }
            await cluster.stop()
            // The second failure is that of an attempt to connect.
            await reports.wait { $0.interrupted.count >= 2 }
            try await cluster.start()
            await reports.wait { $0.listening == 2 }
            try await scene.connect().run("NOTIFY pawl, 'again'")
            await reports.wait { $0.payloads == ["pawl: again"] }
            listener.close()
        }
    }

    @Test func `a closed listener reports nothing more, and its session ends`() async throws {
        let scene = try await PostgresScene()
        let (listener, reports) = listen(scene)
        await reports.wait { $0.listening == 1 }
        listener.close()
        let other = scene.connect()
        let sessions = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        while try await other.value(sessions, as: Int.self) > 1 {}
        #expect(reports.value.interrupted.isEmpty)
    }
}
