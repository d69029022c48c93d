import { Page } from '../../../web/kit/page.tsx'
import { Person } from '../../../web/kit/person.tsx'
import { Table } from '../../../web/kit/table.tsx'
import { words } from '../../../web/kit/text.tsx'
import { Loaded, useLoad } from '../../../web/session/load.tsx'
import type { PageProps } from '../../../web/session/page-routes.ts'
import type { RulesAnswer } from '../server/answers.ts'
import { MayAct } from './may-act.tsx'
import type { NeededPart } from './verdict.tsx'

const { rules } = words

/** What the rules say before anybody asks: of one start, in sentences, and who has which role. */
export function RulesPage({ session, Needed }: PageProps & { Needed: NeededPart }) {
  const loaded = useLoad((signal) => session.ask<RulesAnswer>('/rules', { signal }), [])
  return (
    <Page narrow title={rules.title} about={rules.about}>
      <MayAct session={session} staff={loaded.value?.staff ?? []} Needed={Needed} />
      <Loaded of={loaded} label={rules.loading}>
        {({ rules: inForce, staff, hasMore }) => (
          <>
            <section>
              <h2>{rules.inForce}</h2>
              {inForce.length === 0 ? (
                <p class="soft">{rules.none}</p>
              ) : (
                <ol class="card rules">
                  {inForce.map((description, index) => (
                    <li key={index}>
                      {description === null ? <i>{rules.unnamed}</i> : <bdi>{description}</bdi>}
                    </li>
                  ))}
                </ol>
              )}
              <p class="note">{rules.ofConsole}</p>
            </section>
            <section>
              <h2>{rules.roles}</h2>
              <p class="note">
                {!staff ? rules.notListed : staff.length === 0 ? rules.nobody : rules.rolesAbout}
              </p>
              {staff && staff.length > 0 && (
                <Table
                  label={rules.roles}
                  rows={staff}
                  keyOf={({ id }) => id}
                  columns={[
                    { name: rules.person, cell: (each) => <Person {...each} /> },
                    { name: rules.id, cell: ({ id }) => <bdi class="id">{id}</bdi> },
                    { name: rules.role, cell: ({ role }) => words.web.roles[role] },
                  ]}
                />
              )}
              {hasMore && <p class="note">{rules.more}</p>}
            </section>
          </>
        )}
      </Loaded>
    </Page>
  )
}
