import type { ComponentChildren } from 'preact'

/** A fact in a list of facts. If it is not known, it is not there. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  if (!children || [children].flat().length === 0) return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Facts in their order, each by its name. @param props.label of the list, for screen readers */
export function FactList(props: {
  of: readonly (readonly [name: string, value: ComponentChildren])[]
  label?: string
  /** @defaultValue `'facts'` */
  class?: 'told-facts'
}) {
  return (
    <dl class={props.class ?? 'facts'} aria-label={props.label}>
      {props.of.map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
    </dl>
  )
}
