import { Button } from '../../../web/kit/button.tsx'
import { Fact } from '../../../web/kit/fact.tsx'
import { say } from '../../../web/kit/message.tsx'
import { Page } from '../../../web/kit/page.tsx'
import { Text, text, words } from '../../../web/kit/text.tsx'
import { Time } from '../../../web/kit/time.tsx'
import { Loaded, useLoad } from '../../../web/session/load.tsx'
import type { PageProps } from '../../../web/session/page-routes.ts'
import { inWords } from '../../../web/session/problem.ts'
import type { Session } from '../../../web/session/session.ts'
import { Exporting, useExport } from '../../../web/session/use-export.tsx'
import type { PersonAnswer, Span } from '../server/answers.ts'
import { ErasePart } from './erase-part.tsx'
import { type Perform, personApi } from './paths.ts'

const { person: labels, export: exporting, back } = words.personalData

/** What there is of one person, and what can be done with it. */
export function PersonPage({ session, params }: PageProps) {
  const { id = '' } = params
  const loaded = useLoad((signal) => session.ask<PersonAnswer>(personApi(id), { signal }), [id])
  const perform: Perform = async (path, body, done) => {
    try {
      say('done', done(await session.ask(path, { method: 'POST', body })))
    } catch (error) {
      say('refused', inWords(error))
    }
    await loaded.reload()
  }
  return (
    <Page
      title={loaded.value?.name ?? id}
      back={{ to: '/personal-data', label: back }}
      {...(loaded.value?.isKnown === false ? { about: labels.unknown } : {})}
    >
      <Loaded of={loaded} label={labels.loading} lines={6}>
        {(person) => (
          <>
            <Facts of={person} />
            {isEmpty(person) ? (
              <p class="soft">{labels.nothing}</p>
            ) : (
              <>
                <ExportPart session={session} id={id} />
                <ErasePart person={person} perform={perform} />
              </>
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

const isEmpty = ({ asCustomer, permits }: PersonAnswer) => asCustomer.count + permits.count === 0

function Facts({ of: person }: { of: PersonAnswer }) {
  const { email, id, asCustomer, permits } = person
  return (
    <section>
      <h2>{labels.facts}</h2>
      <dl class="facts" aria-label={labels.facts}>
        <Fact name={labels.id}>
          <bdi class="id">{id}</bdi>
        </Fact>
        {email !== undefined && (
          <Fact name={words.personalData.find.email}>
            <bdi>{email}</bdi>
          </Fact>
        )}
        <SpanFact name={labels.asCustomer} of={asCustomer} />
        <SpanFact name={labels.permits} of={permits} />
        <Fact name={labels.uses}>{String(person.uses)}</Fact>
        <Fact name={labels.notices}>{String(person.notices)}</Fact>
        <Fact name={labels.held}>{String(person.held)}</Fact>
      </dl>
    </section>
  )
}

function SpanFact({ name, of: { count, from, to } }: { name: string; of: Span }) {
  return (
    <Fact name={name}>
      {from === undefined || to === undefined ? (
        String(count)
      ) : (
        <Text
          of={labels.span}
          count={text('{count}', { count })}
          from={<Time at={from} />}
          to={<Time at={to} />}
        />
      )}
    </Fact>
  )
}

function ExportPart({ session, id }: { session: Session; id: string }) {
  const { going, save, cancel } = useExport(session)
  return (
    <section>
      <h2>{exporting.title}</h2>
      <p class="note">{exporting.about}</p>
      <div class="actions">
        <Button
          onPress={() =>
            save({
              path: `${personApi(id)}/export.jsonl`,
              name: 'personal-data.jsonl',
              type: 'application/jsonl',
            })
          }
        >
          {exporting.go}
        </Button>
      </div>
      <Exporting going={going} cancel={cancel} />
    </section>
  )
}
