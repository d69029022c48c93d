import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { FACTS } from './facts.ts'

/** A number with its unit, or a version. */
const FIGURE =
  /(?<![\w§.,/"@-])\d[\d,.]*(?:-| )(?:seconds?|minutes?|hours?|days?|bytes|KiB|MB|characters|tokens|lists|levels|answers)\b|(?<![\w§./"^@-])\d+\.\d+(?:\.\d+)?(?![\w])|\b(?:an hour|(?:two|three|five|ten|thirty) (?:seconds|minutes|hours|days))\b/g
const WORDS: Readonly<Record<string, number>> = { a: 1, an: 1, two: 2, three: 3, five: 5, ten: 10 }
/** Figures of others, and of an example. */
const NOT_OURS =
  /it asks: 4 seconds|version 1\.21|PgBouncer 1\.21|Before 1\.0\.0|ten minutes to a day|three times|OWASP ASVS 5\.0|127\.0\.0\.1|scenes of four seconds|MongoDB 4\.2|or 2 seconds if the disk|since 26\.8|notes of 26\.8|Node\.js 22\.18/g

describe('the figures of the documents', () => {
  for (const [page, facts] of Object.entries(FACTS)) {
    it(`${page} states those of the code, each in a sentence of test/docs/facts.ts`, async () => {
      let text = await readFile(new URL(`../../${page}`, import.meta.url), 'utf8')
      text = text.replaceAll(/^ *```.*?^ *```$|<!--.*?-->|\]\([^)]*\)/gms, ']')
      for (const [sentence, ...figures] of facts) {
        const written = [...sentence.matchAll(/\{([^}]+)\}/g)].map(([, figure = '']) => figure)
        const told = written.map((figure, index) =>
          typeof figures[index] === 'string'
            ? figure
            : (WORDS[figure] ?? Number(figure.replaceAll(',', ''))),
        )
        expect(told, sentence).to.deep.equal(figures)
        const plain = sentence.replaceAll(/[{}]/g, '')
        expect(text, page).to.include(plain)
        text = text.replaceAll(plain, '')
      }
      expect(text.replaceAll(NOT_OURS, '').match(FIGURE) ?? []).to.deep.equal([])
    })
  }
})
