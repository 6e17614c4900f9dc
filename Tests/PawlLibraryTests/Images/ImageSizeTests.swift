import PawlCore
import PawlLibrary
import PawlTesting
import Testing

/// Contract: "for images, pixel size without decoding".
@Suite(.timeLimit(.minutes(5)))
struct ImageSizeTests {
    @Test(arguments: ImageSamples.all)
    func `the size is read from the head`(sample: ImageSamples.Sample) {
        for (width, height) in [(1, 1), (640, 480), (3, sample.largest), (sample.largest, 7)] {
            let size = ImageSize(ofHead: sample.make(width, height))
            #expect(size?.width == width)
            #expect(size?.height == height)
            #expect(size?.format == sample.format)
        }
    }

    @Test(arguments: ImageSamples.all)
    func `a truncated head has no size`(sample: ImageSamples.Sample) {
        let head = sample.make(640, 480)
        var shortest = head.count
        while ImageSize(ofHead: head.prefix(shortest - 1)) != nil { shortest -= 1 }
        #expect(shortest > 8)
        for count in 0..<shortest { #expect(ImageSize(ofHead: head.prefix(count)) == nil) }
    }

    @Test(
        arguments: ImageSamples.all.filter { !$0.name.contains("less") && !$0.name.contains("ext") }
    )
    func `an image without pixels has no size`(sample: ImageSamples.Sample) {
        #expect(ImageSize(ofHead: sample.make(0, 5)) == nil)
        #expect(ImageSize(ofHead: sample.make(5, 0)) == nil)
    }

    @Test func `a slice of a file works like an array`() {
        let head = [UInt8](repeating: 0xFF, count: 7) + ImageSamples.png(8, 9)
        #expect(ImageSize(ofHead: head[7...])?.height == 9)
    }

    @Test func `a JPEG whose image data precede its frame has no size`() {
        let jpeg = ImageSamples.jpeg(0xC0, 8, 9)
        #expect(ImageSize(ofHead: [0xFF, 0xD8, 0xFF, 0xDA] + jpeg[2...]) == nil)
        #expect(ImageSize(ofHead: [0xFF, 0xD8, 0xFF, 0xE0, 0, 1] + jpeg[2...]) == nil)
        #expect(ImageSize(ofHead: [0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 5_000)) == nil)
    }

    @Test func `a WebP frame that depends on others has no size`() {
        let head = ImageSamples.all.first { $0.name == "lossy WebP" }?.make(8, 9) ?? []
        var dependent = head
        dependent[20] |= 1
        #expect(ImageSize(ofHead: head) != nil)
        #expect(ImageSize(ofHead: dependent) == nil)
    }

    @Test(arguments: [
        [UInt8](), Array("<html>".utf8), Array("%PDF-1.7".utf8), [0x50, 0x4B, 3, 4],
        Array("BM".utf8),
        Array("RIFF1234WAVEfmt ".utf8),
    ])
    func `a file that is not an image has no size`(head: [UInt8]) {
        #expect(ImageSize(ofHead: head) == nil)
    }

    @Test(arguments: ImageSamples.all)
    func `the size is read from a file`(sample: ImageSamples.Sample) async throws {
        let folder = try ScratchFolder()
        let pixels = [UInt8](repeating: 0, count: 300_000)
        let path = try folder.write("image", sample.make(640, 480) + pixels)
        let size = try await ImageSize(ofFile: path)
        #expect(size?.width == 640 && size?.height == 480)
        #expect(size?.format == sample.format)
    }

    @Test func `a file that is not an image has no size, and one that is missing is an error`()
        async throws
    {
        let folder = try ScratchFolder()
        #expect(try await ImageSize(ofFile: folder.write("text", "<html>")) == nil)
        #expect(try await ImageSize(ofFile: folder.write("empty", "")) == nil)
        // The frame is not among the bytes that are read.
        let marker: [UInt8] = [0xFF, 0xE1, 0xFF, 0xFF]
        let segment = marker + [UInt8](repeating: 0, count: 0xFFFD)
        let data = Array(repeatElement(segment, count: 5).joined())
        let late: [UInt8] = [0xFF, 0xD8] + data + ImageSamples.jpeg(0xC0, 8, 9)[2...]
        #expect(ImageSize(ofHead: late)?.width == 8)
        #expect(try await ImageSize(ofFile: folder.write("late.jpeg", late)) == nil)
        for path in [folder.path("missing"), folder.path] {
            let error = await #expect(throws: DownloadError.self) {
                try await ImageSize(ofFile: path)
            }
            #expect(error?.code == .fileUnreadable)
        }
    }

    @Test func `each format has its media type`() {
        #expect(
            ImageFormat.allCases.map(\.mediaType)
                == ["image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"]
        )
    }

    @Test func `hostile heads break nothing`() async {
        var random = TestSeed.generator("image heads")
        var breath = Breath()
        for _ in 0..<40_000 {
            await breath.take()
            let sample = ImageSamples.all.randomElement(using: &random) ?? ImageSamples.all[0]
            var head = sample.make(
                .random(in: 1...sample.largest, using: &random),
                .random(in: 1...sample.largest, using: &random)
            )
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let extremes: [UInt8] = [
                    0, 1, 0x7F, 0x80, 0xFE, 0xFF, .random(in: 0...255, using: &random),
                ]
                head[.random(in: 0..<head.count, using: &random)] =
                    extremes.randomElement(using: &random) ?? 0
            }
            if Bool.random(using: &random) {
                head.removeLast(.random(in: 0...head.count, using: &random))
            }
            guard let size = ImageSize(ofHead: head) else { continue }
            #expect((1...(1 << 31)).contains(size.width))
            #expect((1...(1 << 31)).contains(size.height))
        }
    }
}
