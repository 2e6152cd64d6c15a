/**
 * Words that engineers use for one another. Two agents that write down the same fact rarely choose the same ones.
 * Each line is a group; its first word stands for all of it. Words of several meanings are left out.
 */
import { wordsAsked } from '../../passages/passages.ts'

const GROUPS = `
delete remove drop erase discard purge wipe deleted removed deletion removal
fail error crash break broken failure failing fails broke crashes failed
start launch boot begin startup starting spawn
stop halt terminate end kill shutdown quit
use employ utilize rely leverage
must need require has mandatory required obligatory necessary needs
config configuration settings setting configure configured configs
repo repository repositories
db database databases
prod production
env environment
auth authentication authenticate authenticated
authorization permission permissions authorize
timeout deadline expire expires expiry
directory folder dir folders
fetch get retrieve obtain load read
increase raise bump grow higher larger enlarge
decrease reduce lower lessen shrink smaller
wrong incorrect invalid bad faulty
create make generate produce build built creates
change modify alter edit update amend mutate
check verify validate confirm ensure assert
send emit publish dispatch post
receive accept consume
wait block hang stall stuck hangs
slow sluggish latency
fast quick speedy rapid
copy duplicate clone replicate
empty blank missing absent
show display render present print
log record trace
test spec tests suite testing
run execute invoke call executed runs ran
function method routine procedure
argument parameter arg param option flag
variable var
store save persist keep write written saved persisted
move migrate relocate transfer
old legacy previous former outdated
new fresh recent latest
twice double doubled
always every each
never not no forbid forbidden prohibited disallow
instead rather
because since due
user customer client account
request call
retry again repeat reattempt retries
server host machine node box
message event notification
queue backlog
job task worker
package dependency library module dep dependencies
version release
deploy rollout ship deployment
rollback revert undo
merge combine join unify
split separate divide partition
lock mutex latch
cache memoize memoise cached
secret credential password key token
encrypt cipher encryption
password passphrase
certificate cert tls ssl
network connection socket
memory ram heap
leak leaks
disk storage volume
limit cap maximum max ceiling bound
minimum min floor least
default standard
order sort sequence sorted ordering
duplicate repeated
unique distinct
identifier id
name title label called
list array
number count amount
time timestamp moment clock
date day
utc gmt
integer int
string text
null nil none undefined
boolean bool
true yes
price cost money amount
round truncate
parse decode deserialize
serialize encode
import load
export dump
backup snapshot
restore recover
schema migration
index indexes indices
query select
row record
column field
table relation
transaction commit
concurrent parallel simultaneous simultaneously
thread goroutine
sync synchronous
async asynchronous
page screen view
button control
click press
style css
browser chrome
mobile phone
image picture photo
upload send
download fetch
document docs documentation readme
comment remark
review approve approval
branch fork
ci pipeline
docker container
kubernetes k8s
script command cli
shell bash terminal
install setup
lint linter eslint
format prettier formatter
compile build transpile
typescript ts
javascript js
python py
golang go
postgres postgresql pg
monitor watch observe
alert page alarm
metric measure
dashboard panel
flaky unstable intermittent intermittently sporadic randomly nondeterministic
workaround bypass circumvent
cause reason root
fix repair solve resolve mend
issue problem bug defect
decide choose pick chose chosen select selected decided
reject refuse deny denied
allow permit let
disable off deactivate
enable on activate
ignore skip omit
hidden invisible conceal
public open exposed
private internal
local localhost
remote
weekly week
daily day nightly
hourly hour
`

/** Each word by its stem, to the one that stands for it. A word of two groups is left to the first. */
const STANDS_FOR: ReadonlyMap<string, string> = groups()

function groups(): Map<string, string> {
  const found = new Map<string, string>()
  for (const line of GROUPS.trim().split('\n')) {
    const stems = line.split(' ').flatMap((word) => [...wordsAsked(word).keys()])
    for (const stem of stems) if (!found.has(stem)) found.set(stem, stems[0]!)
  }
  return found
}

/** The lexeme that stands for this one. */
export const standsFor = (lexeme: string): string => STANDS_FOR.get(lexeme) ?? lexeme
