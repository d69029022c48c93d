import { Page } from '../../../web/kit/page.tsx'
import { Person } from '../../../web/kit/person.tsx'
import { Link } from '../../../web/kit/router.tsx'
import { Table } from '../../../web/kit/table.tsx'
import { words } from '../../../web/kit/text.tsx'
import { Time } from '../../../web/kit/time.tsx'
import { Loaded, useLoad } from '../../../web/session/load.tsx'
import type { PageProps } from '../../../web/session/page-routes.ts'
import type { ErasureRequestsAnswer } from '../server/answers.ts'
import { FindPerson } from './find-person.tsx'
import { personPath } from './paths.ts'

const { requests: labels, ...personalData } = words.personalData

/** Finds a person, and lists the erasures that a second person can confirm. */
export function PersonalDataPage({ session }: PageProps) {
  const loaded = useLoad(
    (signal) => session.ask<ErasureRequestsAnswer>('/personal-data', { signal }),
    [],
  )
  return (
    <Page title={personalData.title} about={personalData.about}>
      <FindPerson session={session} />
      <section>
        <h2>{labels.title}</h2>
        <Loaded of={loaded} label={labels.loading}>
          {({ requests }) =>
            requests.length === 0 ? (
              <p class="soft">{labels.none}</p>
            ) : (
              <Table
                label={labels.title}
                rows={requests}
                keyOf={({ id }) => id}
                columns={[
                  {
                    name: labels.person,
                    cell: ({ customer }) => (
                      <Link to={personPath(customer.id)}>
                        <Person {...customer} />
                      </Link>
                    ),
                  },
                  { name: labels.by, cell: ({ by }) => <Person {...by} /> },
                  { name: labels.note, cell: ({ note }) => <bdi>{note}</bdi> },
                  {
                    name: labels.lapses,
                    cell: ({ isBegun, lapsesAt }) =>
                      isBegun ? labels.begun : <Time at={lapsesAt} />,
                  },
                ]}
              />
            )
          }
        </Loaded>
      </section>
    </Page>
  )
}
