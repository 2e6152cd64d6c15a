/**
 * Whether a client's last words tell the next agent anything. Only harvested words are judged; what an
 * agent writes down as its findings counts as it is.
 */

/** Greetings and fillers that stand before what is said, or are all that is said. */
const OPENING =
  /^(?:(?:hello|hi|hey|greetings|good (?:morning|afternoon|evening)|welcome(?: back)?|thanks|thank you|you['’]?re welcome|sure|sure thing|of course|certainly|absolutely|ok|okay|alright|all right|great|perfect|excellent|got it|understood|acknowledged|noted|yes|no(?=[\s]*[,.!:;—–-])|yep|nope|right|done|all done|all set|finished|completed?|ready|sorry|no problem)(?!\w)(?: there| again| you| everyone| so much| very much| for (?:that|this|the \w+))*[\s,.!:;—–-]*)+/i

/** Sentences that offer, wait or deny, whatever else they name. */
const EMPTY = [
  /^(?:i(?:['’]?m| am|['’]?ve| have)? )?(?:did|do|done|changed|made|have|found) (?:nothing|no changes?|not(?: do)? anything)\b/i,
  /^i (?:did not|didn['’]t|have not|haven['’]t) (?:do|done|change|changed|make|made|touch|touched) (?:anything|any (?:changes|files))/i,
  /^(?:nothing|no (?:changes?|edits?|files?|action|further action|work))(?: (?:was|were|is|are|has|have|been|else|more|to|needed|required|necessary|made|changed|done|do|report|add))*$/i,
  /^(?:please )?(?:let me know|feel free|tell me|just (?:ask|say|tell|let)|say the word|ask me)\b/i,
  /^(?:i(?:['’]?m| am)|i['’]?ll be|we(?:['’]?re| are)) (?:ready|here|available|happy|glad|waiting|standing by|all set|done|finished|(?:\w+,? )?(?:an?|your) (?:ai|assistant|coding))\b/i,
  /^(?:i(?:['’]?d| would) be|happy|glad) (?:happy|glad|to)\b/i,
  /^(?:i(?:['’]?ll| will)|standing by|waiting|awaiting) (?:wait|be here|stand by|await|for)\b/i,
  /^(?:i (?:understand|see|know|agree|hope)|hope(?:fully)?|that|glad|have a|enjoy|good luck)\b(?:(?! (?:because|that|but|since)\b).){0,40}$/i,
  /^(?:how|what|where) (?:can|may|would|should|do) (?:i|we|you)\b/i,
  /^(?:the |your |this |that |it |everything |task |work |request )+(?:is |are |was |has been |looks |seems |should be )*(?:done|complete|completed|finished|ready|good|fine|ok|okay|all set|works?|working)(?: now| as (?:requested|asked))?$/i,
  /^(?:i(?:['’]?ve| have) )?(?:done|completed|finished)(?: (?:the|your|this|that|it|task|work|request|everything|all|as|asked|requested|now|successfully))*$/i,
]

/** What can be looked up: code, paths, files, commits, numbers with a unit, names in their own spelling. */
const NAMED =
  /`[^`]+`|\w+:\/\/|[\w.-]*\/[\w.-]+|\b\w+\.[a-z]{1,5}\b|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*|\b(?=\w*\d)\w{2,}\b|#\d+|"[^"]{3,}"/

/** What was done to something, or what something does that it should not. */
const DEED =
  /\b(?!(?:ask|complet|finish|help|need|pleas|request|succeed|work)ed)\w{2,}ed\b|\b(?:breaks?|broke|built|crashe?s?|fails?|found|kept|lacks?|leaks?|loses?|lost|made|misses|needs|passe?s?|ran|returns?|rewrote|sent|set|split|takes?|threw|throws?|wrote)\b/i

const words = (text: string): string[] => text.match(/[\p{L}\p{N}][\p{L}\p{N}'’_./-]*/gu) ?? []

/** A script without spaces says in one character what others need a part of a word for. */
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/gu

/** In characters: what says nothing until here is not read further. */
const LONGEST = 4_000
/** How many words tell something by themselves. */
const TELLING = 4
/** How many do beside a deed or a name. */
const ENOUGH = 2

/** Whether a sentence that is neither greeting nor question nor filler is left, and tells something. */
export function tellsAnything(text: string): boolean {
  const told = sentences(text.slice(0, LONGEST))
    .map(withoutOpening)
    .filter((each) => !isEmpty(each))
  const rest = told.join(' ')
  const count = words(rest).length + (rest.match(DENSE)?.length ?? 0) / 2
  if (count >= TELLING) return true
  return count >= ENOUGH && (NAMED.test(rest) || DEED.test(rest))
}

/** A dot within a name ends no sentence. */
const sentences = (text: string): string[] =>
  text
    .replaceAll(/^[\s>#*_~-]+|\*\*|__/gm, '')
    .split(/(?<=[.!?…。！？])(?:\s+|$)|(?<=[。！？])|\n+/u)
    .map((each) => each.trim())
    .filter((each) => words(each).length > 0)

const withoutOpening = (sentence: string): string => sentence.replace(OPENING, '').trim()

function isEmpty(sentence: string): boolean {
  if (words(sentence).length === 0 || /[?？]\W*$/.test(sentence)) return true
  const plain = sentence.replace(/[\s.!…。！]+$/u, '')
  return EMPTY.some((pattern) => pattern.test(plain))
}
