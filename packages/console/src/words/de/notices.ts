import type { notices as english } from '../en/notices.ts'
import type { Translated } from '../words.ts'

export const notices: Translated<typeof english> = {
  subjects: {
    asked: 'Das Support-Team möchte in Ihrem Namen handeln',
    started: 'Das Support-Team handelt in Ihrem Namen',
    ended: 'Das Support-Team handelte in Ihrem Namen',
    emergency: 'Das Support-Team darf in Ihrem Namen handeln: ein Notfall',
    opened: 'Sie haben dem Support-Team erlaubt, in Ihrem Namen zu handeln',
  },
  sentences: {
    asked: '{who} möchte in Ihrem Namen handeln.',
    started: '{who} handelt in Ihrem Namen.',
    ended: '{who} handelte in Ihrem Namen.',
    emergency:
      '{who} darf in Ihrem Namen handeln, ohne Sie gefragt zu haben: ein Notfall. Eine zweite Person sieht es sich danach an.',
    opened: 'Das Support-Team darf ab jetzt in Ihrem Namen handeln, ohne jedes Mal zu fragen.',
  },
  links: {
    asked: 'Hier antworten:',
    started: 'Ansehen, beenden oder sagen, dass Sie nicht darum gebeten haben:',
    ended: 'Ansehen oder sagen, dass Sie nicht darum gebeten haben:',
    emergency: 'Ansehen, was getan wird, beenden oder sagen, dass Sie nicht darum gebeten haben:',
    opened: 'Jederzeit zurücknehmen, und sofort, wenn Sie das nicht waren:',
  },
  since: 'Von',
  until: 'Bis',
  answerUntil: 'Kann beantwortet werden bis',
  hello: 'Guten Tag, {name},',
  helloWithoutName: 'Guten Tag,',
  onlyLink: 'Diese Nachricht hat keinen anderen Link. Wir fragen nie nach Ihrem Passwort.',
  fact: '{label}: {value}',
  done: '{what} ({how})',
  times: { one: 'einmal', other: '{count}-mal' },
}
