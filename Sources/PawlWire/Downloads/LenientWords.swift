internal import PawlCore

/// Decoding that tolerates words that only a newer daemon knows, so that its responses stay
/// readable. Such words occur in each row of a list.
///
/// The compiler's generated decoding calls these methods for required members, that is, in
/// responses. Optional members, as in requests, are decoded strictly.
extension KeyedDecodingContainer {
    /// Decodes a state.
    ///
    /// An unknown state counts as one that has not ended.
    func decode(_: TaskState.Type, forKey key: Key) throws -> TaskState {
        TaskState(rawValue: try decode(String.self, forKey: key)) ?? .waiting
    }

    func decode(_: WirePriority.Type, forKey key: Key) throws -> WirePriority {
        WirePriority(rawValue: try decode(String.self, forKey: key)) ?? .normal
    }

    /// Decodes a retry class.
    ///
    /// With an unknown class nothing is retried.
    func decode(_: RetryClass.Type, forKey key: Key) throws -> RetryClass {
        RetryClass(rawValue: try decode(String.self, forKey: key)) ?? .never
    }
}
