import type { AuditPerson } from 'oidc-provider-impersonation-verify/format'
import { type At, text } from '../../../web/view/at.ts'
import { Choice } from '../../../web/view/form.tsx'
import { NoteAction } from '../../../web/view/note-action.tsx'
import { personName } from '../../../web/view/people.tsx'

const HOUR_S = 3600

/** Keeps an operator from starting. */
export function PauseAction({ of }: { of: AuditPerson }, at: At) {
  const { pause: labels } = at.words.impersonations.running
  const slots = { operator: personName(at, of) }
  return (
    <NoteAction
      action="/pauses"
      label={text(at, labels.button, slots)}
      about={text(at, labels.about, slots)}
      fields={{ operator: of.id }}
    >
      <Choice
        of={{ id: 'pause-for', name: 'for', value: String(HOUR_S) }}
        legend={labels.length}
        options={[
          { value: String(HOUR_S), label: labels.hour },
          { value: '', label: labels.open },
        ]}
      />
    </NoteAction>
  )
}
