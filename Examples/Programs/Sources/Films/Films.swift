import Foundation
import Pawl

// `Films URL FOLDER` downloads a file. If the program is killed, the download continues, and the next
// call waits for it. Where `pawld` is not installed, the program downloads the file itself.
@main
struct Films {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let url = URL(string: arguments[1]) else {
            print("usage: Films URL FOLDER")
            exit(2)
        }
        do throws(DownloadError) {
            let file = try await download(url, to: arguments[2])
            print("finished: \(file.path)")
        } catch {
            print("failed: \(error)")
            exit(1)
        }
    }

    static func download(
        _ url: URL,
        to folder: String
    ) async throws(DownloadError) -> DownloadedFile {
        let session = DownloadSession(.background(identifier: "org.example.films"))
        let running = await session.downloadTasks.first { $0.originalRequest.url == url }
        do throws(DownloadError) {
            if let running { return try await running.file }
            return try await session.download(url, to: .directory(folder))
        } catch {
            guard error.code == .daemonUnavailable else { throw error }
            print("pawld is not available: \(error.message)")
        }
        return try await DownloadSession.shared.download(url, to: .directory(folder))
    }
}
