import PawlPostgres
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PostgresPoolTests {
    private let time = PostgresScene.time

    private func process(_ connection: PostgresConnection) async throws -> Int {
        try await connection.value("SELECT pg_backend_pid()")
    }

    @Test func `a connection is used again, and no more are made than allowed`() async throws {
        let scene = try await PostgresScene()
        let pool = PostgresPool(scene.address, size: 3)
        let processes = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await pool.withConnection(within: time) { try await process($0) }
                }
            }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect((1...3).contains(processes.count))
        let sessions = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        let count = try await pool.withConnection(within: time) { connection in
            try await connection.value(sessions, as: Int.self)
        }
        #expect(count == processes.count)
    }

    @Test func `callers get connections in the order in which they came`() async throws {
        let scene = try await PostgresScene()
        let pool = PostgresPool(scene.address, size: 1)
        let order = Observed<[Int]>([])
        let executor = ManualExecutor()
        try await pool.withConnection(within: time) { _ in
            for number in 0..<10 {
                Task(executorPreference: executor) {
                    try await pool.withConnection(within: PostgresScene.time) { _ in
                        order.update { $0.append(number) }
                    }
                }
                // Now it waits.
                executor.runTasks()
            }
        }
        while order.value.count < 10 { executor.runTasks() }
        #expect(order.value == Array(0..<10))
    }

    @Test func `a connection with an open transaction is not lent again`() async throws {
        let scene = try await PostgresScene()
        let pool = PostgresPool(scene.address, size: 1)
        let first = try await pool.withConnection(within: time) { connection in
            try await connection.run("BEGIN")
            return try await process(connection)
        }
        let second = try await pool.withConnection(within: time) { try await process($0) }
        #expect(first != second)
        let third = try await pool.withConnection(within: time) { try await process($0) }
        #expect(second == third)
    }

    @Test func `a connection that broke is replaced`() async throws {
        let scene = try await PostgresScene()
        let pool = PostgresPool(scene.address, size: 1)
        let first = try await pool.withConnection(within: time) { connection in
            let process = try await process(connection)
            _ = await connection.failure("SELECT pg_terminate_backend(pg_backend_pid())")
            return process
        }
        #expect(pool.problem?.kind == .unreachable)
        let second = try await pool.withConnection(within: time) { try await process($0) }
        #expect(first != second)
        #expect(pool.problem == nil)
    }

    @Test func `tasks and threads wait no longer than they want to`() async throws {
        let scene = try await PostgresScene()
        let pool = PostgresPool(scene.address, size: 1)
        let short = Duration.milliseconds(50)
        try await pool.withConnection(within: time) { connection in
            let task = await error { try await pool.withConnection(within: short) { _ in } }
            #expect(task?.kind == .timedOut)
            let found = Observed<PostgresError?>(nil)
            try BlockingThread.start {
                do {
                    try pool.withConnectionBlocking(within: short) { _ in }
                } catch {
                    found.update { $0 = error as? PostgresError }
                }
            }
            #expect(await found.wait { $0 != nil }?.kind == .timedOut)
            _ = try await process(connection)
        }
        // Neither of them has taken the connection with it.
        _ = try await pool.withConnection(within: time) { try await process($0) }
    }

    @Test func `a thread gets the connection that another one gives back`() async throws {
        let scene = try await PostgresScene()
        let pool = PostgresPool(scene.address, size: 1)
        let found = Observed<Int?>(nil)
        let first = try await pool.withConnection(within: time) { connection in
            try BlockingThread.start {
                let value = try? pool.withConnectionBlocking(within: PostgresScene.time) {
                    connection in
                    let reply = connection.query(
                        "SELECT pg_backend_pid()",
                        within: PostgresScene.time
                    )
                    return try reply.wait().first?.value(0, as: Int.self)
                }
                found.update { $0 = value ?? -1 }
            }
            return try await process(connection)
        }
        #expect(await found.wait { $0 != nil } == first)
    }

    @Test func `a cancelled task gives up its place`() async throws {
        let scene = try await PostgresScene()
        let pool = PostgresPool(scene.address, size: 1)
        try await pool.withConnection(within: time) { _ in
            let task = Task {
                await error { try await pool.withConnection(within: PostgresScene.time) { _ in } }
            }
            task.cancel()
            #expect(await task.value?.kind == .closed)
        }
        _ = try await pool.withConnection(within: time) { try await process($0) }
    }

    @Test func `a closed pool refuses calls, and its sessions end`() async throws {
        let scene = try await PostgresScene()
        let pool = PostgresPool(scene.address, size: 2)
        _ = try await pool.withConnection(within: time) { try await process($0) }
        pool.close()
        let refused = await error { try await pool.withConnection(within: time) { _ in } }
        #expect(refused?.kind == .closed)
        let other = scene.connect()
        let sessions = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        while try await other.value(sessions, as: Int.self) > 1 {}
    }
}
