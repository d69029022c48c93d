import { Page } from '../../../web/kit/page.tsx'
import { words } from '../../../web/kit/text.tsx'
import { Loaded, useLoad } from '../../../web/session/load.tsx'
import type { PageProps } from '../../../web/session/page-routes.ts'
import type { RulesAnswer } from '../server/answers.ts'
import { MayAct } from './may-act.tsx'
import type { NeededPart } from './verdict.tsx'

const { rules } = words

/** What the rules say before anybody asks: of one start, and in sentences. */
export function RulesPage({ session, Needed }: PageProps & { Needed: NeededPart }) {
  const loaded = useLoad((signal) => session.ask<RulesAnswer>('/rules', { signal }), [])
  return (
    <Page narrow title={rules.title} about={rules.about}>
      <MayAct session={session} Needed={Needed} />
      <Loaded of={loaded} label={rules.loading}>
        {({ rules: inForce }) => (
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
        )}
      </Loaded>
    </Page>
  )
}
