import Foundation
import Pawl
import PawlCore
import PawlFoundation
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SinkTests {
    @Test func `a closed stream is an error`() async throws {
        let scene = try FoundationScene(.resource(Resource(size: 100_000)))
        let stream = OutputStream(toMemory: ())
        stream.open()
        stream.close()
        let task = scene.session.dataTask(with: try scene.url())
        task.resume()
        let error = await #expect(throws: DownloadError.self) { try await task.write(to: stream) }
        #expect(error?.code == .diskFailure)
    }

    private let resource = Resource(size: 3 << 20)

    @Test func `a body is written to an output stream`() async throws {
        let scene = try FoundationScene(.resource(resource))
        let memory = OutputStream(toMemory: ())
        let task = scene.session.dataTask(with: try scene.url())
        task.resume()
        #expect(try await task.write(to: memory) == resource.size)
        let data = memory.property(forKey: .dataWrittenToMemoryStreamKey) as? Data
        #expect(data == Data(resource.bytes()))
        #expect(task.state == .finished)

        let file = try #require(OutputStream(url: scene.target(), append: true))
        file.open()
        for _ in 0..<2 { try await scene.session.bytes(from: try scene.url()).write(to: file) }
        file.close()
        let twice = Data(resource.bytes() + resource.bytes())
        #expect(try Data(contentsOf: scene.target()) == twice)
    }

    @Test func `a body is written to a file handle at its offset`() async throws {
        let scene = try FoundationScene(.resource(resource))
        try Data([1, 2, 3]).write(to: scene.target())
        let handle = try FileHandle(forWritingTo: scene.target())
        try handle.seekToEnd()
        let task = scene.session.dataTask(with: try scene.url())
        task.resume()
        #expect(try await task.write(to: handle) == resource.size)
        try await scene.session.bytes(from: try scene.url()).write(to: handle)
        try handle.close()
        let expected = Data([1, 2, 3] + resource.bytes() + resource.bytes())
        #expect(try Data(contentsOf: scene.target()) == expected)
    }

    @Test func `a sink that takes nothing slows the server down`() async throws {
        let scene = try FoundationScene(.resource(Resource(size: 200 << 20)))
        let pipe = Pipe()
        let task = scene.session.dataTask(with: try scene.url())
        task.resume()
        async let written = task.write(to: pipe.fileHandleForWriting)
        while task.currentProgress.completedBytes < 256 << 10, !Task.isCancelled {
            await Task.yield()
        }
        for await _ in task.progress.prefix(4) {}
        #expect(task.currentProgress.completedBytes <= 2 << 20)
        task.cancel()
        // The write that is in progress ends when its bytes are read.
        Thread.detachNewThread { while !pipe.fileHandleForReading.availableData.isEmpty {} }
        do {
            _ = try await written
            Issue.record("a cancelled task was written")
        } catch {
            #expect(error is DownloadError)
        }
        try pipe.fileHandleForWriting.close()
        #expect(task.error?.code == .cancelled)
    }

    @Test func `a pipe without a reader ends the task, not the program`() async throws {
        let scene = try FoundationScene(.resource(resource))
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let task = scene.session.dataTask(with: try scene.url())
        task.resume()
        let error = await #expect(throws: DownloadError.self) {
            try await task.write(to: pipe.fileHandleForWriting)
        }
        #expect(error?.code == .diskFailure)
    }

    @Test func `a full disk ends the task`() async throws {
        let scene = try FoundationScene(.resource(resource))
        let full = URL(filePath: "/dev/full")
        let handle = try FileHandle(forWritingTo: full)
        let task = scene.session.dataTask(with: try scene.url())
        task.resume()
        let error = await #expect(throws: DownloadError.self) { try await task.write(to: handle) }
        #expect(error?.code == .diskFull && error?.cause != nil)
        for await _ in task.progress {}
        #expect(task.error?.code == .cancelled)

        let stream = try #require(OutputStream(url: full, append: true))
        let other = await #expect(throws: DownloadError.self) {
            try await scene.session.bytes(from: try scene.url()).write(to: stream)
        }
        #expect(other?.code == .diskFull)
        await scene.origin.waitForQuiet()
    }

    @Test func `a stream that takes no more bytes ends the task`() async throws {
        let scene = try FoundationScene(.resource(resource))
        let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: 100_000)
        defer { buffer.deallocate() }
        let stream = OutputStream(toBuffer: buffer, capacity: 100_000)
        let task = scene.session.dataTask(with: try scene.url())
        task.resume()
        let error = await #expect(throws: DownloadError.self) { try await task.write(to: stream) }
        #expect(error?.code == .diskFailure)
        await scene.origin.waitForQuiet()
    }

    @Test @MainActor func `a stream of the main actor can be written to`() async throws {
        let scene = try FoundationScene(.resource(Resource(size: 1000)))
        let holder = Holder()
        let task = scene.session.dataTask(with: try scene.url())
        task.resume()
        #expect(try await task.write(to: holder.stream) == 1000)
    }

    @MainActor
    private final class Holder {
        let stream = OutputStream(toMemory: ())
    }
}
