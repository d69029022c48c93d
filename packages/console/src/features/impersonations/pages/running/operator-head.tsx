import { useState } from 'preact/hooks'
import { Badge } from '../../../../web/kit/badge.tsx'
import { Button } from '../../../../web/kit/button.tsx'
import { Dialog } from '../../../../web/kit/dialog.tsx'
import { nameOf, operatorName } from '../../../../web/kit/names.ts'
import { pausePath } from '../../../../web/kit/paths.ts'
import { Link } from '../../../../web/kit/router.tsx'
import { counted, text, words } from '../../../../web/kit/text.tsx'
import type { PauseAnswer } from '../../../../web/pause-answers.ts'
import type { Session } from '../../../../web/session/session.ts'
import { endAll } from './ending.ts'
import { PauseButton } from './pauses.tsx'
import type { ShownRow } from './shown.ts'

const { running: labels } = words.impersonations

interface OfOperator {
  readonly session: Session
  /** What the operator runs: at least one. */
  readonly rows: readonly ShownRow[]
  /** What keeps the operator from starting as any customer. */
  readonly pause: PauseAnswer | undefined
}

/** An operator above what they run. */
export function OperatorHead({ session, rows, pause }: OfOperator) {
  const { id, operator } = operatorIn(rows)
  return (
    <span class="marks">
      <bdi class="person">{operator}</bdi>
      {id === session.me.id && <Badge>{labels.you}</Badge>}
      {pause && (
        <Link to={pausePath(pause.id)} label={text(labels.pause.heldLabel, { operator })}>
          {labels.pause.held}
        </Link>
      )}
    </span>
  )
}

/** The pause of an operator, and the end of all that they run. */
export function OperatorActions({ session, rows, pause }: OfOperator) {
  const { id, operator } = operatorIn(rows)
  if (id === undefined || session.me.role !== 'lead') return null
  return (
    <div class="actions">
      {id !== session.me.id && !pause && <PauseButton session={session} id={id} name={operator} />}
      <EndAll session={session} id={id} operator={operator} rows={rows} />
    </div>
  )
}

/** Also of what software does for the operator. */
function operatorIn([first]: readonly ShownRow[]) {
  const it = first?.impersonation
  const id = it?.operator?.id
  return { id, operator: it?.operator ? nameOf(it.operator) : it ? operatorName(it) : '' }
}

function EndAll(props: {
  session: Session
  id: string
  operator: string
  rows: readonly ShownRow[]
}) {
  const { session, id, operator, rows } = props
  const [isAsked, setAsked] = useState(false)
  const endable = rows.filter(({ over, impersonation }) => !over && impersonation.canEnd).length
  return (
    <>
      {endable > 0 && (
        <Button kind="danger" onPress={() => setAsked(true)}>
          {text(labels.endAll, { operator })}
        </Button>
      )}
      {isAsked && (
        <Dialog
          title={text(labels.endAllTitle, { operator })}
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
              {counted(labels.endAllNow, endable)}
            </Button>
          }
        >
          <p>{counted(labels.endAllQuestion, endable, { operator })}</p>
        </Dialog>
      )}
    </>
  )
}
