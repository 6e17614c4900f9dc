internal import Glibc
internal import PawlCore
internal import Synchronization

/// Where a session's temporary files are: a folder that is made with the first of them.
final class TemporaryFiles: Sendable {
    private struct State {
        var folder: String?
        var files: [String] = []
    }

    private let state = Mutex(State())

    deinit {
        state.withLock { state in
            for file in state.files { unlink(file) }
            if let folder = state.folder { rmdir(folder) }
        }
    }

    func path(_ number: Int) throws(DownloadError) -> String {
        try state.withLock { (state) throws(DownloadError) in
            let folder: String
            if let made = state.folder { folder = made } else { folder = try make() }
            state.folder = folder
            state.files.append("\(folder)/\(number)")
            return "\(folder)/\(number)"
        }
    }

    private func make() throws(DownloadError) -> String {
        var template = Array("/tmp/pawl-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw DownloadError(.directoryNotUsable, "a folder for temporary files was not made")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
