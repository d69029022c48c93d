import { RecordCard } from '../../../records/views/record-card.tsx'
import { type At, counted, text } from '../../../web/kit/at.ts'
import { SearchField } from '../../../web/kit/form.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { personalDataPath } from '../../../web/kit/paths.ts'
import { NamedPerson } from '../../../web/kit/people.tsx'
import { Table } from '../../../web/kit/table.tsx'
import { Text } from '../../../web/kit/text.tsx'
import type { View } from '../../../web/pages/table.ts'
import type { RequestsAnswer } from '../server/api.ts'

/** Finds a person, and lists the erasures that a second person can confirm. */
export const personalDataPage: View<RequestsAnswer> = ({ requests, ...found }, { words }) => ({
  title: words.personalData.title,
  about: words.personalData.about,
  body: (
    <>
      <FindPerson {...found} />
      <section data-about="*">
        <h2>{words.personalData.requests.title}</h2>
        {requests.length === 0 && <p class="soft">{words.personalData.requests.none}</p>}
        {requests.map((each) => (
          <RecordCard key={each.id} heading="h3" of={each} />
        ))}
      </section>
    </>
  ),
})

type FoundPeople = Omit<RequestsAnswer, 'requests'>

/** By the search of the console, and by the account id of a person whom it does not find any more. */
function FindPerson(found: FoundPeople, { base, words }: At) {
  const labels = words.personalData.find
  return (
    <search>
      <form class="card form" method="get" action={`${base}/personal-data`}>
        <SearchField
          required
          pattern=".*\S.*"
          of={{ id: 'person', name: 'q', value: found.asked ?? '' }}
          label={labels.search}
          help={labels.help}
        />
        <div class="actions">
          <button type="submit" class="button primary">
            {labels.go}
          </button>
        </div>
      </form>
      <Found {...found} />
    </search>
  )
}

function Found({ asked, customers = [], more }: FoundPeople, at: At) {
  if (asked === undefined) return null
  const labels = at.words.personalData.find
  const { operators } = at.words.impersonations
  return (
    <>
      <p role="status">
        {customers.length === 0
          ? text(at, operators.foundNone, { text: asked })
          : counted(at, operators.found, customers.length, { text: asked })}
      </p>
      {customers.length > 0 && (
        <Table
          label={labels.title}
          rows={customers}
          names={labels}
          cells={{
            name: (customer) => (
              <Link to={personalDataPath(customer.id)}>
                <NamedPerson of={customer} />
              </Link>
            ),
            email: ({ email }) => <bdi>{email}</bdi>,
            id: ({ id }) => <bdi class="id">{id}</bdi>,
          }}
        />
      )}
      {more && <p class="note">{labels.more}</p>}
      {!customers.some(({ id }) => id === asked) && (
        <p>
          <Link to={personalDataPath(asked)}>
            <Text of={labels.byId} id={<bdi class="id">{asked}</bdi>} />
          </Link>
        </p>
      )}
    </>
  )
}
