import PawlFleet
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PartNumbersTests {
    @Test(arguments: [1, 2, 3, 512, 4_998, 5_000])
    func `numbers ascend with the parts, whatever the attempts are`(parts: Int) {
        let numbers = PartNumbers(parts: parts)
        #expect(numbers.numbersPerPart >= 2)
        var last = 0
        for part in 0..<parts {
            for attempt in [0, 1, numbers.numbersPerPart - 1, numbers.numbersPerPart] {
                let number = numbers.number(of: part, attempt: attempt)
                #expect(number > last && number <= PartNumbers.largest)
                #expect(numbers.part(of: number) == part)
            }
            last = numbers.number(of: part, attempt: numbers.numbersPerPart - 1)
        }
    }

    @Test func `each attempt has a number of its own until they repeat`() {
        let numbers = PartNumbers(parts: 512)
        #expect(numbers.numbersPerPart == 19)
        let attempts = (0..<19).map { numbers.number(of: 7, attempt: $0) }
        #expect(Set(attempts).count == 19)
        #expect(numbers.isFresh(attempt: 18) && !numbers.isFresh(attempt: 19))
        #expect(numbers.number(of: 7, attempt: 19) == attempts[0])
    }

    @Test func `without a length there are two numbers per part`() {
        #expect(PartNumbers(parts: nil).numbersPerPart == 2)
        #expect(PartNumbers(parts: 0).numbersPerPart == 10_000)
    }
}
