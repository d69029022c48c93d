import { useId, useState } from 'preact/hooks'
import { Dialog } from '../kit/dialog.tsx'
import { Button } from '../kit/kit.tsx'
import { counted, text, words } from '../kit/text.tsx'
import type { Session } from '../session/session.ts'
import { endAll } from './ending.ts'
import { operatorName } from './names.ts'
import { RunningTable } from './running-table.tsx'
import type { ShownRow } from './shown.ts'

/** A heading for each operator, with what they run, and the end of all of it. */
export function ByOperator({ session, rows }: { session: Session; rows: readonly ShownRow[] }) {
  const groups = Map.groupBy(rows, ({ impersonation }) => impersonation.operator?.id ?? '')
  return (
    <>
      {[...groups].map(([id, group]) => (
        <Group key={id} session={session} id={id} rows={group} />
      ))}
    </>
  )
}

function Group(props: { session: Session; id: string; rows: readonly ShownRow[] }) {
  const { session, id, rows } = props
  const { running } = words.impersonations
  const heading = useId()
  const [isAsked, setAsked] = useState(false)
  const [first] = rows
  if (!first) return null
  const operator = operatorName(first.impersonation)
  const endable = rows.filter(({ over, impersonation }) => !over && impersonation.canEnd).length
  return (
    <section aria-labelledby={heading} class="group">
      <div class="section-head">
        <h2 id={heading}>
          <bdi>{operator}</bdi>
        </h2>
        {endable > 0 && id !== '' && (
          <Button kind="danger" onPress={() => setAsked(true)}>
            {text(running.endAll, { operator })}
          </Button>
        )}
      </div>
      <RunningTable session={session} label={operator} rows={rows} hasOperator={false} />
      {isAsked && (
        <Dialog
          title={text(running.endAllTitle, { operator })}
          close={words.web.cancel}
          onClose={() => setAsked(false)}
          actions={
            <Button
              kind="danger"
              onPress={async () => {
                await endAll(session, id)
                setAsked(false)
              }}
            >
              {counted(running.endAllNow, endable)}
            </Button>
          }
        >
          <p>{counted(running.endAllQuestion, endable, { operator })}</p>
        </Dialog>
      )}
    </section>
  )
}
