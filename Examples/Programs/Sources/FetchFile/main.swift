import Foundation
import Pawl

// `FetchFile URL FOLDER` downloads a file. After an interruption, the same call resumes it.
let arguments = CommandLine.arguments
guard arguments.count == 3, let url = URL(string: arguments[1]) else {
    print("usage: FetchFile URL FOLDER")
    exit(2)
}
do {
    let file = try await DownloadSession.shared.download(url, to: .directory(arguments[2]))
    print(file.path, file.byteCount)
} catch {
    print("failed: \(error)")
    exit(1)
}
