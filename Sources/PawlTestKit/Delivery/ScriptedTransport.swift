internal import PawlCore

/// Answers a session's requests with the responses of a scripted server.
struct ScriptedTransport: Transport {
    let server: ScriptedServer

    func start(_ request: TransferRequest, sink: any TransferSink) -> any Transfer {
        let commands = Mailbox<ResponseDelivery.Command>()
        let (received, scripted) = server.receive(request)
        Task { [server] in
            var delivery = ResponseDelivery(
                request,
                to: sink,
                commands: commands,
                time: server.time
            )
            guard let response = scripted ?? server.answer(received) else {
                let failure = TransferFailure(.notScripted, received.text)
                return await delivery.run([.end(.failed(failure))], body: [])
            }
            let decodes = request.codings == .decoded
            let plan = DeliveryPlan(response, to: received, decodes: decodes)
            await delivery.run(plan.steps, body: response.body)
        }
        return ScriptedTransfer(commands)
    }
}

/// The session's reference to a response that is being delivered.
private final class ScriptedTransfer: Transfer {
    private let commands: Mailbox<ResponseDelivery.Command>

    init(_ commands: Mailbox<ResponseDelivery.Command>) { self.commands = commands }

    func cancel() { commands.post(.cancel) }

    func resume() { commands.post(.resume) }

    func nudge() { commands.post(.nudge) }
}
