import { expect } from 'chai'
import { formOf, type Sentences } from '../../../src/kernel/sentence.ts'
import { createLanguages } from '../../../src/web/words/languages.ts'
import { lookUp } from '../../../src/web/words/look-up.ts'
import { ENGLISH, GERMAN } from '../../../src/web/words/words.ts'
import { FRENCH } from '../../support/french.ts'

/** The languages with these added, and what was warned of. */
function languagesWith(words: Readonly<Record<string, Sentences | undefined>>) {
  const warnings: string[] = []
  const languages = createLanguages(words, 'en', (message) => warnings.push(message))
  return { ...languages, warnings }
}

describe('a language', () => {
  const FOUND: readonly (readonly [asked: string, tags: string[], found: string | undefined])[] = [
    ['fr', ['en', 'fr'], 'fr'],
    ['fr-CA', ['en', 'fr'], 'fr'],
    ['fr-CA', ['fr', 'fr-CA'], 'fr-CA'],
    ['FR-ca', ['fr', 'fr-CA'], 'fr-CA'],
    ['zh-Hant-TW', ['zh-Hans', 'zh-Hant'], 'zh-Hant'],
    ['pt', ['en', 'pt-BR'], 'pt-BR'],
    ['pt-PT', ['en', 'pt-BR'], undefined],
    ['fra', ['fr'], undefined],
    ['f', ['fr'], undefined],
    ['', ['en', 'fr'], undefined],
  ]
  for (const [asked, tags, found] of FOUND) {
    it(`is ${found ?? 'none'} for “${asked}”, of ${tags.join(' and ')}`, () => {
      expect(lookUp(asked, tags)).to.equal(found)
    })
  }

  it('that is added has its sentences, and the English ones where they are missing', () => {
    const { tags, wordsIn } = languagesWith({ fr: FRENCH })
    expect(tags).to.eql(['en', 'de', 'fr'])
    expect(wordsIn('fr').web.product).to.equal('Console du support')
    expect(wordsIn('fr').web.signIn).to.equal(ENGLISH.web.signIn)
    expect(wordsIn('fr').permits).to.have.all.keys(ENGLISH.permits)
    expect(wordsIn('de')).to.equal(GERMAN)
  })

  it('is warned of once, with the number of all that is missing', () => {
    const { title: _, about: __, ...account } = ENGLISH.account
    const { warnings } = languagesWith({ fr: { ...ENGLISH, account }, it: FRENCH })
    expect(warnings).to.have.length(1)
    const [, missing, all] =
      /^fr lacks (\d+) of (\d+) sentences \(account\.title, account\.about\); it lacks /.exec(
        warnings[0] ?? '',
      ) ?? []
    expect(Number(missing)).to.equal(2)
    expect(Number(all)).to.be.greaterThan(500)
    expect(warnings[0]).to.match(/, …\)\. The console's own sentences stay there\.$/)
  })

  it('is not warned of where it has all', () => {
    const whole: Sentences = JSON.parse(JSON.stringify(ENGLISH))
    expect(languagesWith({ fr: whole, it: undefined }).warnings).to.eql([])
    expect(languagesWith({}).warnings).to.eql([])
  })

  it('keeps the own sentence where the other one has other placeholders, or is no text', () => {
    const { wordsIn, warnings } = languagesWith({
      de: {
        account: { actsAsYou: '{wer} handelt', actedAsYou: 'Es wurde gehandelt', now: ' ' },
        web: { product: 'Kundendienst', toolbar: 'Leiste' },
        overview: { waits: { one: '{count} Punkt' } },
        alarms: { times: { one: 'einmal', oter: '{count}-mal', other: '{count}-mal' } },
      },
    })
    const { account, web, overview } = wordsIn('de')
    const { actsAsYou, actedAsYou, now } = GERMAN.account
    expect(account).to.include({ actsAsYou, actedAsYou, now })
    expect(web.product).to.equal('Kundendienst')
    expect(web).to.not.have.property('toolbar')
    expect(overview.waits.other).to.equal(GERMAN.overview.waits.other)
    expect(warnings).to.eql([
      'de has 5 with other placeholders or forms (account.now, account.actsAsYou, account.actedAsYou, alarms.times, overview.waits); ' +
        "de has 1 with an unknown key (web.toolbar). The console's own sentences stay there.",
    ])
  })

  it('of a region has the sentences of its language, without a warning', () => {
    const { wordsIn, warnings } = languagesWith({ 'de-AT': { web: { product: 'Servus' } } })
    expect(wordsIn('de-AT').web).to.include({ product: 'Servus', signIn: GERMAN.web.signIn })
    expect(wordsIn('de').web.product).to.equal(GERMAN.web.product)
    expect(warnings).to.eql([])
  })

  it('has its own plural forms', () => {
    const rules = new Intl.PluralRules('ru')
    const reads = {
      '=1': 'Один раз',
      one: '{count} раз',
      few: '{count} раза',
      many: '{count} раз',
      other: '{count} раза',
    }
    const { wordsIn } = languagesWith({ ru: { account: { reads } } })
    const forms = [1, 2, 5, 21].map((count) => formOf(wordsIn('ru').account.reads, count, rules))
    expect(forms).to.eql([reads['=1'], reads.few, reads.many, reads.one])
  })

  it('never says once of a number that has the same plural form in it', () => {
    const rules = new Intl.PluralRules('ru')
    // In Russian, 21 has the form of 1.
    const added = { ru: { account: { changes: { one: 'Один раз', other: '{count} раз' } } } }
    const { reads, changes } = languagesWith(added).wordsIn('ru').account
    for (const plural of [reads, changes]) {
      expect(formOf(plural, 1, rules)).to.match(/once$/)
      expect(formOf(plural, 21, rules)).to.match(/\{count\} times$/)
    }
  })
})
