import PawlCore
import PawlEngine
import Testing

/// Two threads hold and resume a transfer, in each order that matters.
@Suite(.timeLimit(.minutes(5)))
struct TransferCursorTests {
    private let cursor = TransferCursor(start: 0, end: 100)

    @Test func `a transfer that must wait is held until it is resumed, once`() {
        #expect(cursor.hold { true })
        #expect(cursor.isHeld)
        #expect(cursor.releaseHold())
        #expect(!cursor.isHeld)
        #expect(!cursor.releaseHold())
    }

    @Test func `a transfer that need not wait is not held`() {
        #expect(!cursor.hold { false })
        #expect(!cursor.isHeld)
    }

    @Test func `a reason that ends before the hold is seen leaves the transfer running`() {
        var looks = 0
        let isHeld = cursor.hold {
            looks += 1
            // Between the first check and the hold, the other thread found nothing to resume.
            return looks == 1
        }
        #expect(!isHeld)
        #expect(!cursor.isHeld)
        #expect(!cursor.releaseHold())
    }

    @Test func `a reason that ends after the hold lets the other thread resume`() {
        var looks = 0
        let isHeld = cursor.hold {
            looks += 1
            guard looks > 1 else { return true }
            #expect(cursor.releaseHold())
            return false
        }
        // It waits for the resume that the other thread is about to send.
        #expect(isHeld)
        #expect(!cursor.isHeld)
    }

    @Test func `a byte before another answer's counts only if it was compared`() {
        for reached in [49, 50, 51] as [Int64] {
            let cursor = TransferCursor(start: 0, end: 100)
            cursor.compares()
            cursor.moved(to: reached)
            cursor.currentEdge = TransferCursor.Edge(end: 50, isProven: true)
            #expect(cursor.written == ByteRange(0, 49))
            #expect(cursor.countedEnd == 49)
        }
        cursor.compares()
        cursor.moved(to: 50)
        cursor.currentEdge = TransferCursor.Edge(end: 50, isProven: true)
        cursor.proved(50)
        #expect(cursor.written == ByteRange(0, 50))
        // A proof for another end proves nothing about this one.
        cursor.currentEdge = TransferCursor.Edge(end: 40, isProven: true)
        #expect(cursor.written == ByteRange(0, 39))
    }
}
