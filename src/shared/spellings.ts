/** Returns two texts at most that differ from this one in the case of letters alone. */
export function otherSpellings(text: string): readonly string[] {
  const spellings = [0, 1].map((first) =>
    [...text]
      .map((letter, at) => (at % 2 === first ? letter.toLowerCase() : letter.toUpperCase()))
      .join(''),
  )
  return spellings.filter((each) => each !== text && each.toLowerCase() === text.toLowerCase())
}
