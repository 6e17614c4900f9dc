import Foundation
import Pawl

// `FourWays URL FOLDER` fetches the same file in the four ways that articles on downloading teach.
guard CommandLine.arguments.count == 3, let url = URL(string: CommandLine.arguments[1]) else {
    print("usage: FourWays URL FOLDER")
    exit(2)
}
let folder = CommandLine.arguments[2]

func report(_ way: String, _ byteCount: Int64) { print("\(way): \(byteCount) bytes") }

do {
    report("block", try await fetchWithBlock(url, to: folder + "/block.bin"))
    report("delegate", try await fetchWithDelegate(url, to: folder + "/delegate.bin"))
    report("file handle", try await fetchIntoFileHandle(url, to: folder + "/handle.bin"))
    report("stream", try await fetchIntoStream(url, to: folder + "/stream.bin"))
} catch {
    print("failed: \(error)")
    exit(1)
}
