import type { ComponentChildren, JSX } from 'preact'

/** A label, an input, help below it, and what is wrong with it. */
export function Field(props: {
  id: string
  label: string
  help?: ComponentChildren
  problem?: string | undefined
  children: (input: {
    id: string
    'aria-describedby': string
    'aria-invalid': boolean
  }) => JSX.Element
}) {
  const { id, label, help, problem, children } = props
  return (
    <div class={problem ? 'field wrong' : 'field'}>
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': `${id}-about`, 'aria-invalid': problem !== undefined })}
      <small id={`${id}-about`}>
        {problem && <span class="problem">{problem}</span>}
        {help}
      </small>
    </div>
  )
}
