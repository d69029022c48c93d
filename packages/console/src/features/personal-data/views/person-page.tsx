import { type At, text } from '../../../web/kit/at.ts'
import { FactList } from '../../../web/kit/fact.tsx'
import { personalDataPath } from '../../../web/kit/paths.ts'
import { Text } from '../../../web/kit/text.tsx'
import { Time } from '../../../web/kit/time.tsx'
import type { View } from '../../../web/pages/table.ts'
import type { PersonAnswer, Span } from '../server/api.ts'
import { ErasePart } from './erase-part.tsx'

/** The data of one person, and the ways to export and erase it. */
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
          <ErasePart of={person} />
        </>
      )}
    </>
  ),
})

function Facts({ of: person }: { of: PersonAnswer }, { words }: At) {
  const { email, id, asCustomer, permits, uses, notices, held } = person
  const labels = words.personalData.person
  return (
    <section data-about="*">
      <h2>{labels.facts}</h2>
      <FactList
        label={labels.facts}
        of={[
          [labels.id, <bdi class="id">{id}</bdi>],
          [words.personalData.find.email, email !== undefined && <bdi>{email}</bdi>],
          [labels.asCustomer, <SpanText of={asCustomer} />],
          [labels.permits, <SpanText of={permits} />],
          [labels.uses, String(uses)],
          [labels.notices, String(notices)],
          [labels.held, String(held)],
        ]}
      />
    </section>
  )
}

function SpanText({ of: { count, from, to } }: { of: Span }, at: At) {
  if (from === undefined || to === undefined) return <>{count}</>
  return (
    <Text
      of={at.words.personalData.person.span}
      count={text(at, '{count}', { count })}
      from={<Time at={from} />}
      to={<Time at={to} />}
    />
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
