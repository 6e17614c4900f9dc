import PawlCore
import PawlEngine
import Testing

/// Two threads hold and let go of a transfer, in each order that matters.
@Suite(.timeLimit(.minutes(1)))
struct TransferCursorTests {
    private let cursor = TransferCursor(start: 0, end: 100)

    @Test func `a transfer that must wait is held until it is let go, once`() {
        #expect(cursor.hold { true })
        #expect(cursor.isHeld)
        #expect(cursor.letGo())
        #expect(!cursor.isHeld)
        #expect(!cursor.letGo())
    }

    @Test func `one that need not wait is not held`() {
        #expect(!cursor.hold { false })
        #expect(!cursor.isHeld)
    }

    @Test func `a need that ends before the hold is seen leaves it running`() {
        var looks = 0
        let isHeld = cursor.hold {
            looks += 1
            // Between the first look and the hold, the other thread found nobody to let go.
            return looks == 1
        }
        #expect(!isHeld)
        #expect(!cursor.isHeld)
        #expect(!cursor.letGo())
    }

    @Test func `a need that ends just after the hold leaves the other thread to let it go`() {
        var looks = 0
        let isHeld = cursor.hold {
            looks += 1
            guard looks > 1 else { return true }
            #expect(cursor.letGo())
            return false
        }
        // It waits for the word that the other thread is about to send.
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
        // What was proved of another end proves nothing of this one.
        cursor.currentEdge = TransferCursor.Edge(end: 40, isProven: true)
        #expect(cursor.written == ByteRange(0, 39))
    }
}
