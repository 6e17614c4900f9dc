import Foundation
import Pawl

func errors(_ sample: Sample) async throws {
    let missing = sample.url.deletingLastPathComponent().appending(path: "missing.iso")
    try await handled(missing, sample.folder)
    await refusals(missing, sample.folder)
    await causes(missing, sample.folder)
    await ofAnyType(missing, sample.folder)
}

private func handled(_ url: URL, _ folder: String) async throws {
    let session = DownloadSession()
    do throws(DownloadError) {
        let file = try await session.download(url, to: .directory(folder))
        print(file.path)
    } catch {
        switch error.code {
        case .notFound: print("there is no such file")
        case .diskFull: print("free some space and call again: received bytes are kept")
        default: print(error)
        }
        if error.isRetryable { print("the same call may help later") }
    }
}

private struct Problem: Decodable {
    var title: String
}

private func refusals(_ url: URL, _ folder: String) async {
    do throws(DownloadError) {
        _ = try await DownloadSession.shared.download(url, to: .directory(folder))
    } catch {
        guard let refusal = error.errorResponse else { return }
        print(refusal.response.status, refusal.response.value("Content-Type") ?? "")
        if let problem = try? refusal.content.json(Problem.self) { print(problem.title) }
    }
}

private func causes(_ url: URL, _ folder: String) async {
    let session = DownloadSession()
    let task = session.downloadTask(with: url, to: .directory(folder))
    task.resume()
    _ = try? await task.file
    guard let error = task.error else { return }
    print(error.message)
    print(error.context ?? "")
    print(error.advice)
    if let failure = error.cause as? NetworkFailure { print(failure.kind, failure.message) }
}

private func ofAnyType(_ url: URL, _ folder: String) async {
    let session = DownloadSession()
    let outside = Task {
        try await session.download(url, to: .directory(folder))
    }
    do {
        print(try await outside.value.path)
    } catch {
        let error = DownloadError(error)
        print(error.code, error.isRetryable)
    }

    let inside = Task {
        do throws(DownloadError) {
            print(try await session.download(url, to: .directory(folder)).path)
        } catch {
            print(error.code, error.isRetryable)
        }
    }
    await inside.value
}
