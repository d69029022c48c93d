/** One of a few, all of them in sight. */
export function Choice(props: {
  legend: string
  name: string
  value: string
  options: readonly { readonly value: string; readonly label: string }[]
  /** Where the heading above says the same. */
  isLegendUnseen?: true
  onChoose: (value: string) => void
}) {
  const { legend, name, value, options, isLegendUnseen, onChoose } = props
  return (
    <fieldset class="choices">
      <legend class={isLegendUnseen && 'unseen'}>{legend}</legend>
      {options.map((option) => (
        <label class="choice" key={option.value}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChoose(option.value)}
          />
          <bdi>{option.label}</bdi>
        </label>
      ))}
    </fieldset>
  )
}
