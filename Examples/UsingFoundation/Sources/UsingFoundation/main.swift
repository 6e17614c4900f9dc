import Foundation
import Pawl
import PawlFoundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

guard CommandLine.arguments.count == 3, let url = URL(string: CommandLine.arguments[1]) else {
    print("usage: UsingFoundation URL FOLDER")
    exit(2)
}
let folder = URL(filePath: CommandLine.arguments[2], directoryHint: .isDirectory)

var original = URLRequest(url: url)
original.setValue("en", forHTTPHeaderField: "Accept-Language")

do {
    let request = try DownloadRequest(original)
    let task = DownloadSession.shared.downloadTask(with: request, to: try .directory(folder))
    let progress = task.foundationProgress()
    task.resume()
    while !progress.isFinished, task.error == nil {
        print("\(Int(progress.fractionCompleted * 100)) %")
        try await Task.sleep(for: .milliseconds(100))
    }
    let file = try await task.file
    print(file.fileURL.lastPathComponent, progress.completedUnitCount, "bytes")
} catch {
    let error = error as NSError
    print(error.domain, error.code, error.localizedDescription)
    exit(1)
}
