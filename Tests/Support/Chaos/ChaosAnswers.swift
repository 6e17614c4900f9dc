import PawlCore

/// The answers to the requests of one scenario, and the bodies that they served.
struct ChaosAnswers: Sendable {
    private let scenario: ChaosScenario
    private let gate: HostGate?
    private(set) var served = ServedBodies()
    /// The notes on each request, by the request's number at the origin.
    private(set) var notes: [Int: String] = [:]
    /// The number of answers with faults.
    private(set) var faulty = 0
    private(set) var drawn: [String: Int] = [:]
    private var requests = 0
    private var requestsOfRun = 0
    private var isCalm = false
    private var stop: ChaosStop?
    private var trigger = ChaosTrigger()
    /// Whether the client has received the file itself in this run, so that it must reject a page.
    private var isFileKnown = false
    /// Whether a whole response had no length, so that the client must trust the total of any
    /// response.
    private var hasHiddenLength = false
    private var expirations: [String: Int] = [:]

    init(_ scenario: ChaosScenario) {
        self.scenario = scenario
        gate = scenario.connectionLimit.map { HostGate(limit: $0) }
    }

    /// Starts the next run.
    mutating func beginRun(stop: ChaosStop?, _ trigger: ChaosTrigger) {
        requestsOfRun = 0
        self.stop = stop
        self.trigger = trigger
        isFileKnown = false
    }

    /// Answers every later request correctly, with the latest version.
    mutating func calmDown() { isCalm = true }

    /// Records that the client has received the first byte of the file.
    mutating func sentFile() { isFileKnown = true }

    mutating func answer(
        _ exchange: OriginExchange,
        sentFile: @escaping @Sendable () -> Void
    ) -> ResponsePlan {
        requests += 1
        requestsOfRun += 1
        var random = SplitMix64(seed: SplitMix64.mix(scenario.seed &+ UInt64(requests)))
        if let reply = redirect(exchange, &random) {
            notes[exchange.request.number] = "on the way"
            return reply.plan(exchange)
        }
        let version =
            isCalm ? scenario.latestVersion : scenario.version(ofRequest: requests, &random)
        let resource = scenario.resource(version: version, request: exchange.request.number)
        var answer = ChaosAnswer(
            exchange,
            version: version,
            resource: resource,
            haste: scenario.haste
        )
        if let speed = scenario.bytesPerSecond, !isCalm { answer.reply = answer.reply.rate(speed) }
        if !isCalm { spoil(&answer, &random) }
        var plan = answer.reply.plan(exchange)
        note(answer, plan)
        take(answer, plan)
        watch(&plan, answer, sentFile)
        return plan
    }

    // MARK: - Making the answer

    /// Returns a redirect that leads to the file, or `nil` if the request is for the file itself.
    private mutating func redirect(_ exchange: OriginExchange, _ random: inout SplitMix64) -> Reply?
    {
        let request = exchange.request
        if request.path.hasPrefix("/loop") { return .redirect(to: "/loop/file.bin") }
        if request.path.hasPrefix("/signed") {
            let left = expirations[request.target] ?? 0
            expirations[request.target] = left - 1
            return left > 0 || isCalm ? nil : .status(403, body: "expired\n")
        }
        guard request.path == ChaosOrigin.path else { return nil }
        switch scenario.redirection {
        case .none: return nil
        case .path: return .redirect(to: "/real/file.bin")
        case .host:
            let port = request["Host"]?.split(separator: ":").last ?? "80"
            return .redirect(to: "http://localhost:\(port)/real/file.bin")
        case .signed:
            let target = "/signed/file.bin?key=\(request.number)"
            expirations[target] = Int.random(in: 1...4, using: &random)
            return .redirect(to: target)
        }
    }

    private func spoil(_ answer: inout ChaosAnswer, _ random: inout SplitMix64) {
        if requestsOfRun <= scenario.faultyRequests {
            // The first answer decides whether there is anything to resume.
            let percent = isFileKnown ? scenario.faultPercent : scenario.faultPercent / 2
            if Int.random(in: 0..<100, using: &random) < percent {
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let fault = scenario.faults.randomElement(using: &random)
                    guard let fault, ChaosScenario.isDrawn(fault.name) else { continue }
                    fault.apply(to: &answer, &random)
                }
            }
            let breakOff = ChaosFault.breakOff
            let breaks = Int.random(in: 0..<100, using: &random) < scenario.breakPercent
            if breaks, ChaosScenario.isDrawn(breakOff.name) {
                breakOff.apply(to: &answer, &random)
            }
        }
        guard let gate else { return }
        let refusal: Reply =
            scenario.hangsUpAboveLimit ? .hangUp(.reset) : .status(503, body: "too many\n")
        answer.reply = answer.reply.admitted(by: gate, else: refusal)
    }

    // MARK: - Recording the answer

    private mutating func note(_ answer: ChaosAnswer, _ plan: ResponsePlan) {
        let body =
            switch answer.body {
            case .file(let label, _): label
            case .impostor(let label): label
            case .nothing: "no file"
            }
        if !answer.faults.isEmpty { faulty += 1 }
        for fault in answer.faults { drawn[String(fault.prefix { $0 != "(" }), default: 0] += 1 }
        let faults = answer.faults.isEmpty ? "no fault" : answer.faults.joined(separator: ", ")
        notes[answer.exchange.request.number] =
            "\(body), \(plan.bodyLength) bytes planned: \(faults)"
    }

    /// Records the bodies that an answer presents as the file.
    private mutating func take(_ answer: ChaosAnswer, _ plan: ResponsePlan) {
        guard plan.sendsHead, [200, 206].contains(plan.status) else { return }
        switch answer.body {
        case .nothing: return
        case .impostor(let label):
            // Before the client knows the file, it has nothing to compare a response of status 200
            // with. Once it knows the file, it must reject any page.
            guard !isFileKnown, answer.exchange.request.range == nil else { return }
            takeWhole(label, plan)
        case .file(let label, let resource):
            served.insert(label, resource)
            if plan.status == 200 {
                takeWhole(label, plan)
            } else if hasHiddenLength, let total = plan.contentRange?.total, total < resource.size {
                served.insert(label, resource, length: max(0, total))
            }
        }
    }

    /// Records a whole response, whose length may differ from the file's.
    private mutating func takeWhole(_ label: String, _ plan: ResponsePlan) {
        switch plan.framing {
        case .length:
            guard plan.field("Content-Length") == nil, plan.declaredLength <= plan.bodyLength else {
                return
            }
            served.insert(label, plan.body, length: plan.declaredLength)
        case .chunked(let endsProperly):
            hasHiddenLength = true
            if endsProperly { served.insert(label, plan.body, length: plan.bodyLength) }
        case .untilClose:
            hasHiddenLength = true
            // Only a clean close marks the end of such a body.
            let cuts = plan.marks.compactMap { mark -> Int64? in
                if case .end(.close) = mark.action { mark.after } else { nil }
            }
            let length = min(plan.bodyLength, cuts.min() ?? .max)
            served.insert(label, plan.body, length: length)
        }
    }

    private func watch(
        _ plan: inout ResponsePlan,
        _ answer: ChaosAnswer,
        _ sentFile: @escaping @Sendable () -> Void
    ) {
        // A reset discards the bytes that the client has not read yet.
        let isReset = plan.marks.contains { mark in
            if case .end(.reset) = mark.action { true } else { false }
        }
        // A client may refuse a head that is too large.
        let isRefused = answer.faults.contains { $0.hasPrefix(ChaosFault.largeHead) }
        if case .file = answer.body, plan.sendsHead, plan.field("Content-Length") == nil,
            !isReset, !isRefused
        {
            plan.marks.append(BodyMark(after: 1, .call(sentFile)))
        }
        guard let stop, stop.request == requestsOfRun else { return }
        let offset = Int64(Double(plan.bodyLength) * stop.fraction)
        let trigger = trigger
        plan.marks.append(BodyMark(after: offset, .pause(stop.pause)))
        plan.marks.append(BodyMark(after: offset, .call { trigger.pull() }))
    }
}
