/* Eighteen small pieces of paper that fly up from an element and fall, once. */
const PIECES = 18
const MOST_MS = 1_100
const ACROSS_PX = 150
const UP_PX = 90
const DOWN_PX = 60

export function throwPaper(from) {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
  const { left, top, width, height } = from.getBoundingClientRect()
  const paper = document.createElement('div')
  paper.className = 'paper'
  paper.setAttribute('aria-hidden', 'true')
  paper.style.left = `${left + width / 2}px`
  paper.style.top = `${top + height / 2}px`
  document.body.append(paper)
  const flights = Array.from({ length: PIECES }, (_, nth) => fly(paper, nth))
  void Promise.allSettled(flights).then(() => paper.remove())
}

function fly(paper, nth) {
  const piece = document.createElement('i')
  paper.append(piece)
  const x = ((2 * nth) / (PIECES - 1) - 1) * ACROSS_PX * (0.6 + 0.4 * Math.random())
  const y = -UP_PX * (0.4 + 0.6 * Math.random())
  const turn = Math.round(360 * (Math.random() - 0.5))
  const frames = [
    { transform: 'translate(0, 0) rotate(0)', opacity: 1, easing: 'ease-out' },
    {
      ...{ offset: 0.45, opacity: 1, easing: 'ease-in' },
      transform: `translate(${x * 0.8}px, ${y}px) rotate(${turn}deg)`,
    },
    { transform: `translate(${x}px, ${DOWN_PX}px) rotate(${2 * turn}deg)`, opacity: 0 },
  ]
  const duration = MOST_MS * (0.75 + 0.25 * Math.random())
  return piece.animate(frames, { duration, fill: 'forwards' }).finished
}
