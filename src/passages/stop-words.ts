/** English words that say nothing about a subject: Snowball's list. A query may have them; no search uses them. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'i me my myself we our ours ourselves you your yours yourself yourselves he him his himself ' +
    'she her hers herself it its itself they them their theirs themselves what which who whom ' +
    'this that these those am is are was were be been being have has had having do does did ' +
    'doing a an the and but if or because as until while of at by for with about against between ' +
    'into through during before after above below to from up down in out on off over under again ' +
    'further then once here there when where why how all any both each few more most other some ' +
    'such no nor not only own same so than too very s t can will just don should now would could'
  ).split(' '),
)

/**
 * English words that a question has for its own sake, as in "how many may one take without asking": they say little about
 * a subject, though some do. What names a tool, a method or a value as often is none of them: get, go, make, find, none.
 */
export const FAINT_WORDS: ReadonlySet<string> = new Set(
  (
    'many much may might must shall ought cannot need needs needed use used uses using want wants wanted got gets ' +
    'getting gotten anything something nothing everything anybody somebody nobody everybody anyone someone everyone ' +
    'without within also still yet even ever else per via whether instead rather upon among another every either ' +
    'neither several always often already way ways thing things know known knows say says said tell tells told happen ' +
    'happens happened happening people take takes took taken give gives given'
  ).split(' '),
)
