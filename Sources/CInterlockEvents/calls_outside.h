// Functions of Foundation and XCTest that no exploration controls: the symbol, and the name of the
// call in reports. Included several times, each with its own definition of `OUTSIDE`.

// Before it starts the process, `Process` starts a thread with a run loop and waits for that
// thread.
OUTSIDE("$s10Foundation7ProcessCACycfC", "Foundation.Process")
// No explored thread runs the timers and blocks of a run loop.
OUTSIDE("$s10Foundation5TimerC09scheduledB016withTimeInterval7repeats5blockACSd_SbyACYbctFZ",
        "a timer of a run loop")
OUTSIDE("$s10Foundation5TimerC12timeInterval7repeats5blockACSd_SbyACYbctcfC",
        "a timer of a run loop")
OUTSIDE("$s10Foundation5TimerC4fire8interval7repeats5blockAC0A10Essentials4DateV_SdSbyACYbctcfC",
        "a timer of a run loop")
OUTSIDE("$s10Foundation5TimerC4fire8interval7repeats5blockAC0A10Essentials4DateV_SdSbyACYbctcfc",
        "a timer of a run loop")
OUTSIDE("$s10Foundation7RunLoopC3runyyF", "a run loop without end")
OUTSIDE("$s10Foundation7RunLoopC7performyyyyYbcF", "RunLoop.perform")
OUTSIDE("$s10Foundation7RunLoopC7perform7inModes5blockySayAC4ModeVG_yyYbctF", "RunLoop.perform")
OUTSIDE("$s6XCTest25XCTNSPredicateExpectationC9predicate6object4file4lineAC"
        "10Foundation11NSPredicateC_ypSgs12StaticStringVSitcfC",
        "an expectation by a predicate")
OUTSIDE("$s6XCTest0A4CaseC11expectation3for13evaluatedWith4file4line7handlerAA0A11ExpectationC"
        "10Foundation11NSPredicateC_ypSgs12StaticStringVSiSbyYbcSgtF",
        "an expectation by a predicate")
// These functions measure real time.
OUTSIDE("$s6XCTest0A4CaseC7measure4file4line5blockys12StaticStringV_SiyyXEtF", "XCTest's measure")
OUTSIDE("$s6XCTest0A4CaseC14measureMetrics_27automaticallyStartMeasuring4file4line3for"
        "ySayAA20XCTPerformanceMetricVG_Sbs12StaticStringVSiyyXEtF",
        "XCTest's measure")
