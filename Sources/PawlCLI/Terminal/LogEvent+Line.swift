package import Logging

extension LogEvent {
    /// The message, followed by the metadata of the event and of the logger.
    package func line(with metadata: Logger.Metadata) -> String {
        let all = metadata.merging(self.metadata ?? [:]) { _, new in new }
        return all.sorted { $0.key < $1.key }
            .reduce(into: message.description) { $0 += " \($1.key)=\($1.value)" }
    }
}
