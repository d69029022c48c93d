import type { PermitAnswer } from '../server/api/answers.ts'
import { PermitCard } from './permit-card.tsx'

/** Requests and emergencies below a heading. Nothing if there are none. */
export function PermitList(props: { name: string; about?: string; of: readonly PermitAnswer[] }) {
  const { name, about, of } = props
  if (of.length === 0) return null
  return (
    <section>
      <h2>{name}</h2>
      {about && <p class="note">{about}</p>}
      <ul class="cards" aria-label={name}>
        {of.map((permit) => (
          <PermitCard key={permit.id} permit={permit} />
        ))}
      </ul>
    </section>
  )
}
