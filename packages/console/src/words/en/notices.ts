/** What customers are told by mail. The page of the account has the other words. */
export const notices = {
  subjects: {
    asked: 'The support team asks to act as you',
    started: 'The support team acts as you',
    ended: 'The support team acted as you',
    emergency: 'The support team may act as you: an emergency',
    opened: 'You allowed the support team to act as you',
  },
  sentences: {
    asked: '{who} asks to act as you.',
    started: '{who} acts as you.',
    ended: '{who} acted as you.',
    emergency:
      '{who} may act as you without having asked you: an emergency. A second person looks at it afterwards.',
    opened: 'The support team may act as you from now on, without asking each time.',
  },
  links: {
    asked: 'Answer here:',
    started: 'See it, end it, or say that you did not ask for it:',
    ended: 'See it, or say that you did not ask for it:',
    emergency: 'See what is done, end it, or say that you did not ask for it:',
    opened: 'Take it back at any time, and at once if this was not you:',
  },
  since: 'From',
  until: 'Until',
  answerUntil: 'Can be answered until',
  hello: 'Hello {name},',
  helloWithoutName: 'Hello,',
  onlyLink: 'This message has no other link. We never ask for your password.',
  fact: '{label}: {value}',
  done: '{what} ({how})',
  times: { one: 'once', other: '{count} times' },
} as const
