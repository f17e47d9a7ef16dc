package retrieval

// thesaurus has words of everyday questions beside those that rules, manuals and
// contracts use for the same. It is about English in general; no line was made for
// a document. Groups are short, since every word costs a read of the store.
const thesaurus = `
resign quit leave step_down give_up
remove delete erase uninstall get_rid_of
dismiss recall fire remove sack kick_out throw_out
expel ban exclude remove kick_out
appoint choose name select nominate
elect choose vote
replace successor substitute supersede
chair chairman chairperson president
leader head boss chief
committee board panel
delegate deputy representative
secretary clerk
candidate nominee
majority threshold
quorum minimum
vote ballot poll
ballot vote
vote election
count tally
tie draw equal
overrule override overturn reverse
override overrule overturn
delay postpone suspend hold put_off
withdraw retract cancel take_back
propose suggest proposer put_forward
sponsor second support back
amend change modify alter
amendment change
approve accept agree
reject refuse decline deny
resolve settle decide
decide decision determine
dispute disagreement conflict quarrel argument
disagree dispute
discuss debate discussion talk
announce publish notify notice
public open
secret private confidential
money fund asset property
buy purchase spend
property asset own
donate donation gift
trust hold
pay salary paid
volunteer obligation
duty responsibility obligation job
responsible responsibility charge
power authority right permission
authority power
allow permit may permission
forbid prohibit disallow ban not_allowed
require must mandatory oblige compulsory
mandatory required must
optional recommend should
recommend encourage advise
week day
long period time duration
period time length
deadline expire period
expire lapse deadline
start begin commence
begin start
end finish stop close
stop end halt
happen occur take_place
absent vacancy unavailable
vacant empty vacancy
meeting session
mail email message mailing
rule regulation policy
constitution charter
introduce introduction
purpose goal aim
mission purpose
mean meaning definition define
define definition describe
term period office
year annual
maximum limit most at_most
minimum least at_least
several many multiple
twice two
join become admit
newcomer new
work task job
task duty
technical engineering
write author
copy duplicate
copyright licence
license licence copyright
licence license
install installation set_up
upgrade update
fail failure error
error failure
failure error
crash error
bug defect problem
problem bug
fix repair correct
broken break
program executable binary
binary executable program
script program
file document
folder directory
directory folder
path filename location
name naming called
link symlink
symlink symbolic
config configuration setting
configuration config setting
setting configuration
manual documentation manpage
documentation manual docs
doc documentation
changelog changes history
history changelog
version release
release version
number version
compare comparison sort order
depend dependency require rely
dependency depend require
conflict clash incompatible
user account
account user
password secret
permission mode owner
owner ownership
root superuser administrator
administrator admin sysadmin
admin administrator
boot startup start_up
daemon service server
service daemon
shell bash sh
menu desktop
game games
log logfile
rotate rotation
cron scheduled schedule periodically
schedule cron
editor pager
browser web
web http
font fonts
character encoding
encoding charset character
charset encoding
language translation locale
translate translation
library shared
compile build
build compile
source upstream
package packaging
maintainer owner responsible
description summary synopsis
summary synopsis
category section
section area category
priority importance important
important importance essential
essential required critical
prompt ask question
ask prompt request
question prompt ask
temporary tmp
size large big
compress gzip compressed
strip debug symbol
debug debugging
network internet download
download network
offensive rude
person people individual
people person
body organisation group
organisation project group
affiliate affiliated
legal law
legally law
forward redirect
interpret interpretation
judge adjudicate
advice advise opinion
consult consultation consensus
consensus agreement
agreement consensus
option choice alternative
choice option
preference prefer rank
rank preference
winner win elected
win winner defeat
lose defeat
beat defeat
default further
urgent immediate
immediate urgent
quick immediate
maximum most
split divide
private secret
gender pronoun
spell spelling
typo typography
update upgrade
old previous earlier obsolete
previous earlier former
former previous
newest latest current
valid legal allowed
invalid illegal
same equal identical
different differ
show display
display show
place location put
location place directory
create make
`
