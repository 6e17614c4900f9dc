public import Pawl
internal import PawlCore

extension SessionConfiguration {
    /// Returns the configuration of a session whose requests a scripted server answers.
    ///
    /// The session never uses the network. Everything else is real: files, checkpoints, resuming,
    /// verification, retries. A download uses one connection, unless the settings already have a
    /// fixed number. The tasks of a background session run in this process, without the daemon.
    /// Cookies of responses are not kept.
    public func scripted(by server: ScriptedServer) -> SessionConfiguration {
        var configuration = self
        configuration.replacement = NetworkReplacement(
            transport: ScriptedTransport(server: server),
            time: server.time
        )
        if settings.connections == .automatic { configuration.settings.connections = .fixed(1) }
        return configuration
    }
}
