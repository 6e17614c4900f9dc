public import PawlCore

/// A closure that changes the settings of a session for one request.
///
/// ```swift
/// let file = try await session.download(url, to: .file(folder + "/verified.iso")) { settings in
///     settings.checksum = .digest(digest)
/// }
/// ```
///
/// It receives the session's settings, so everything that it does not change stays as it is in the
/// session. Assigning to the whole value replaces all settings. The closure is called once for each
/// task or stream, when that is created; `settings(over:)` of a request calls it, too.
public typealias SettingsAdjustment = @Sendable (inout DownloadSettings) -> Void

/// A value with changes to the settings of a session.
public protocol SettingsAdjusting {
    /// The changes to the session's settings; `nil`, the default, changes nothing.
    var adjustment: SettingsAdjustment? { get set }
}

extension SettingsAdjusting {
    /// Adds a change, which is applied after the earlier ones.
    public mutating func adjust(_ change: @escaping SettingsAdjustment) {
        guard let earlier = adjustment else { return adjustment = change }
        adjustment = { settings in
            earlier(&settings)
            change(&settings)
        }
    }

    /// Returns the given settings with the changes.
    ///
    /// With the settings of a session, the result contains those of a task of the session.
    public func settings(over settings: DownloadSettings) -> DownloadSettings {
        var settings = settings
        adjustment?(&settings)
        return settings
    }
}

extension SettingsAdjusting where Self: HTTPFieldEditing {
    /// Returns the given settings with the changes, and with the value's fields in place of those
    /// of the same names.
    package func settingsWithFields(over settings: DownloadSettings) -> DownloadSettings {
        var settings = self.settings(over: settings)
        settings.fields.removeAll { usual in fields.contains { $0.hasName(usual.name) } }
        settings.fields += fields
        return settings
    }
}
