import type { ComponentChildren } from 'preact'
import { Time } from './time.tsx'

/** A fact in a list of facts. If it is not known, it is not there. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  if (children === undefined || children === false || children === '') return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** A fact that is a moment. @param props.at milliseconds since the epoch */
export function MomentFact({ name, at }: { name: string; at: number | undefined }) {
  return <Fact name={name}>{at !== undefined && <Time at={at} form="long" />}</Fact>
}

/** Facts in their order, each by its name. @param props.label of the list, for screen readers */
export function FactList(props: {
  of: readonly (readonly [name: string, value: ComponentChildren])[]
  label?: string
}) {
  return (
    <dl class="facts" aria-label={props.label}>
      {props.of.map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
    </dl>
  )
}
