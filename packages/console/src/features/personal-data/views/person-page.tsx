import { type At, text } from '../../../web/kit/at.ts'
import { Fact } from '../../../web/kit/fact.tsx'
import { personalDataPath } from '../../../web/kit/paths.ts'
import { Text } from '../../../web/kit/text.tsx'
import { Time } from '../../../web/kit/time.tsx'
import type { View } from '../../../web/pages/table.ts'
import type { PersonAnswer, Span } from '../server/answers.ts'
import { ErasePart } from './erase-part.tsx'

/** What there is of one person, and what can be done with it. */
export const personPage: View<PersonAnswer> = (person, { words }) => ({
  title: person.name ?? person.id,
  back: { to: '/personal-data', label: words.personalData.back },
  ...(!person.isKnown && { about: words.personalData.person.unknown }),
  body: (
    <>
      <Facts of={person} />
      {person.asCustomer.count + person.permits.count === 0 ? (
        <p class="soft">{words.personalData.person.nothing}</p>
      ) : (
        <>
          <ExportPart id={person.id} />
          <ErasePart person={person} />
        </>
      )}
    </>
  ),
})

function Facts({ of: person }: { of: PersonAnswer }, { words }: At) {
  const { email, id, asCustomer, permits } = person
  const labels = words.personalData.person
  return (
    <section data-about="*">
      <h2>{labels.facts}</h2>
      <dl class="facts" aria-label={labels.facts}>
        <Fact name={labels.id}>
          <bdi class="id">{id}</bdi>
        </Fact>
        <Fact name={words.personalData.find.email}>
          {email !== undefined && <bdi>{email}</bdi>}
        </Fact>
        <SpanFact name={labels.asCustomer} of={asCustomer} />
        <SpanFact name={labels.permits} of={permits} />
        <Fact name={labels.uses}>{String(person.uses)}</Fact>
        <Fact name={labels.notices}>{String(person.notices)}</Fact>
        <Fact name={labels.held}>{String(person.held)}</Fact>
      </dl>
    </section>
  )
}

function SpanFact({ name, of }: { name: string; of: Span }, at: At) {
  const { count, from, to } = of
  const labels = at.words.personalData.person
  return (
    <Fact name={name}>
      {from === undefined || to === undefined ? (
        String(count)
      ) : (
        <Text
          of={labels.span}
          count={text(at, '{count}', { count })}
          from={<Time at={from} />}
          to={<Time at={to} />}
        />
      )}
    </Fact>
  )
}

function ExportPart({ id }: { id: string }, { base, words }: At) {
  const labels = words.personalData.export
  return (
    <section>
      <h2>{labels.title}</h2>
      <p class="note">{labels.about}</p>
      <p>
        <a class="button" href={`${base}${personalDataPath(id)}/export.jsonl`} download>
          {labels.go}
        </a>
      </p>
    </section>
  )
}
