"""Causes on the server's side: the build, the manifest, the list and its pages.

They stand in the order in which they are asked about: is it the right build, are the bytes clean, can the list be had
and read to its end, is it one list, does it fit what is said of it, and only then: is each definition right.
"""

from __future__ import annotations

from diagnose.judge.catalogue.row import Row

#: What makes one list several: while one of these holds, a difference between lists shows nothing else.
_NOT_ONE_LIST = ("mixed-builds", "replica-skew", "page-mixed-snapshot", "server-frozen-snapshot")

ROWS = (
    Row(
        name="mixed-builds",
        layers=("deployed",),
        state="stale",
        meaning="Two builds of the server answer behind one address.",
        shown="Version or build differs between two samples of one endpoint, or between endpoints of one round; an endpoint that reads its version from another file is no second build.",
        remedy="Finish or roll back the deployment, so that every instance runs one build, then look again.",
        next=(
            "Find the instance that runs the other build: ask every replica for its health, past the load balancer.",
            "Finish or roll back the deployment, then run again: {again}",
        ),
    ),
    Row(
        name="server-old-build",
        layers=("deployed",),
        state="stale",
        meaning="The build that answers is older than the one that should be running.",
        shown="The version, build or start of the process against the expected one: an old package, container or sandbox copy, or a source that is newer than the process.",
        remedy="Deploy the expected build, or restart the process so that it loads it.",
        next=(
            "Check that the last deployment really ran, and which package, image or copy this process was started from.",
            "Restart or redeploy, then run again with the same expectation: {expecting}",
        ),
    ),
    Row(
        name="manifest-gated",
        layers=("manifest",),
        state="broken",
        meaning="The manifest endpoint answers with a login or gate page in place of the manifest.",
        shown="HTML or a redirect where JSON is due, whatever the status; a 404 page only says that there is no manifest.",
        remedy="Exempt the manifest's path from the gate, or ask it with a credential that passes.",
        next=(
            "Exempt the manifest's path from the site's login or password page, or pass a credential: --base-auth.",
            "Until then the live list can only be compared with itself and with a snapshot.",
        ),
    ),
    Row(
        name="wire-corrupt",
        layers=("origin", "wire"),
        state="broken",
        meaning="Bytes were sent that are no message.",
        shown="A banner or log on stdout, cut or joined JSON, invalid UTF-8, a lone surrogate, NaN; CR LF only where it is fatal.",
        remedy="Write logs to stderr, and JSON with a strict encoder.",
        next=(
            "Send everything but protocol messages to stderr, and encode JSON strictly (no NaN, no half characters).",
            "Strict clients close the connection at the first such byte, although a status command may say `connected`.",
        ),
    ),
    Row(
        name="auth-blocked",
        layers=("origin", "path", "wire"),
        state="broken",
        meaning="The credential is missing, refused or expired.",
        shown="401 or 403; or a list that is shown from a cache while requests are refused.",
        remedy="Sign in again, or give a credential that this server accepts.",
        next=(
            "Store a credential for this server, or pass one with --auth env:VAR: diagnose auth set {target}",
            "A credential that was sent has expired or lacks a scope: sign in again and give the new one.",
        ),
    ),
    Row(
        name="list-error",
        layers=("origin",),
        state="broken",
        meaning="The server talks, and its tool list cannot be had.",
        shown="Handshake or discovery works and every list is refused; a refusal for its cursor, session, credential or version has a name of its own, and `method not found` of a server without tools is a note.",
        remedy="Read the server's log at the time of the request; a schema that cannot be serialised is the usual reason.",
        next=(
            "Look into the server's log for the failing tools/list; clashing schema libraries and a definition that cannot be serialised are the usual reasons.",
            "Take out the tools added last, one by one, until the list answers: {again}",
        ),
    ),
    Row(
        name="cursor-empty-string",
        layers=("origin",),
        state="broken",
        meaning="The server sends an empty cursor to mean the end, and asking on with it repeats a page.",
        shown='`nextCursor` is "" and the page behind it was there before; with new names behind it, it is a legal cursor.',
        remedy="Leave `nextCursor` out of the last page.",
        next=(
            "In the server, leave nextCursor out of the last page: an empty string is a cursor, and clients follow it for ever.",
            "Until then, clients that stop at an empty cursor show the list, and those that follow it loop or time out.",
        ),
    ),
    Row(
        name="cursor-loop",
        layers=("origin",),
        state="broken",
        meaning="Paging never ends: a cursor or a page comes again.",
        shown="The same cursor twice, or a page with the same definitions twice.",
        remedy="Leave `nextCursor` out of the last page, and let each cursor point behind the page that it came with.",
        next=(
            "In the server, make each cursor point behind its page, and leave nextCursor out of the last one.",
            "Until then, clients that read one page look right, and those that read all show tools many times or time out.",
        ),
        behind=("cursor-empty-string",),
    ),
    Row(
        name="cursor-rejected",
        layers=("origin",),
        state="broken",
        meaning="The server refuses a cursor that it has just issued, though nothing changed.",
        shown="An error on the cursor of the page before, also in a fresh walk; after a change, with a fresh walk that works, it is a note.",
        remedy="Keep cursors valid for the time of a walk, on every instance.",
        next=(
            "Check whether cursors are kept per instance or per connection: behind a balancer they must be valid on every instance.",
            "Or raise the page size, so that the list needs no cursor.",
        ),
        behind=("mixed-builds",),
    ),
    Row(
        name="page-mixed-snapshot",
        layers=("origin",),
        state="broken",
        meaning="One walk joins pages of different lists.",
        shown="One definition on two pages, or revisions that differ between pages; once two whole walks agree it is a note.",
        remedy="Tie cursors to one version of the list, or refuse a cursor once the list has changed.",
        next=(
            "Walk again when the server is quiet: {again}",
            "In the server, tie a cursor to the list that it was issued for.",
        ),
    ),
    Row(
        name="replica-skew",
        layers=("origin",),
        state="broken",
        meaning="Instances of the server hold different tool lists at one time.",
        shown="Fresh walks give list A, then B, then A again; A, B, B is a change.",
        remedy="Bring every instance to one surface; until then pin a client to one instance.",
        next=(
            "List from every replica, past the load balancer, and compare: diagnose diff URL-OF-ONE URL-OF-OTHER",
            "Restart the instances that hold the older list, or finish the deployment.",
        ),
        behind=("server-frozen-snapshot",),
    ),
    Row(
        name="server-frozen-snapshot",
        layers=("origin",),
        state="stale",
        meaning="The server serves an old list to some sessions.",
        shown="At one time an older session lists the old tools and a new session the new ones.",
        remedy="Build the list per request, or refresh it in open sessions when it changes.",
        next=(
            "Reconnect the client: a new session gets the current list.",
            "In the server, do not copy the list into a session when it opens.",
        ),
    ),
    Row(
        name="manifest-disagrees",
        layers=("origin",),
        state="stale",
        meaning="The manifest and the live list differ, though one build serves both.",
        shown="Definitions that both hold differ, or one lacks a tool, once tenant, tunnel and profile tools are taken out.",
        remedy="Restart the process, or rebuild whatever it copied its list from, so that both come from one source.",
        next=(
            "Restart the server process: one of its two lists was built earlier than the other.",
            "If the manifest is generated, generate it again from the running build, then: {again}",
        ),
        behind=_NOT_ONE_LIST,
    ),
    Row(
        name="revision-mismatch",
        layers=("origin",),
        state="broken",
        meaning="The advertised revision is not that of the list that it came with.",
        shown="The revision computed from the definitions against the one that the handshake or the list advertises; a hop that rewrites numbers (600.0 as 600) is a usual reason.",
        remedy="Compute the revision from the very definitions that are sent, and let no hop re-serialise the answer.",
        next=(
            "Ask the server without any hop in between and compare; a proxy or SDK that re-serialises JSON changes numbers.",
            "Recompute from what was received: diagnose revision {target}",
        ),
        behind=("page-mixed-snapshot", "replica-skew"),
    ),
    Row(
        name="count-mismatch",
        layers=("origin",),
        state="broken",
        meaning="The advertised count is not the number of unique tool names in the list.",
        shown="The count beside the list against the names in it; duplicates count once.",
        remedy="Count unique names over the list that is sent.",
        next=("Check where tools are filtered or added between counting and sending; a hop may have dropped some.",),
        behind=("page-mixed-snapshot", "replica-skew"),
    ),
    Row(
        name="name-collision",
        layers=("origin", "registry"),
        state="broken",
        meaning="Two tools have one name, or get one when a client maps names; or two servers have one identity.",
        shown="The owners of the name and which of them won; the same definition on two pages is another matter.",
        remedy="Give each tool a name of its own.",
        next=("Rename or remove one of the tools that share a name: clients keep the first, the last, or fail.",),
        behind=("page-mixed-snapshot",),
    ),
    Row(
        name="invalid-definition",
        layers=("origin",),
        state="broken",
        meaning="A definition is no valid tool: no name, no object schema, a dangling reference, or wrong types.",
        shown="The definition and the pointer in it; clients drop such a tool, or all tools beside it.",
        remedy='Give the tool a name and an input schema with "type": "object", and references that resolve within it.',
        next=(
            "Correct the definition at the pointers above; strict clients drop the tool, and some drop the whole list.",
            "Run again: {again}",
        ),
        behind=("schema-rejects-all", "schema-rejects-one"),
    ),
    Row(
        name="order-unstable",
        layers=("origin",),
        state=None,
        meaning="The order of the tools differs between two lists of the same tools.",
        shown="Two walks with one set and two orders; it costs prompt caches and nothing else.",
        remedy="Sort the list before it is sent.",
    ),
)
