"""Alarms: what is wrong, told to who has to know, until somebody knows and it is over.

rule        what the options of OUTPUT TO ALARM say; form writes one
life        when an alarm is raised and when it ends
sink        from the rows of views to alarms
store       what stands and what was, who knows, what is shelved (tables)
named       channels that rules name and that are not there
outbox      who has yet to be told; notifier tells them, through channels, by senders
routes      the API; service puts it together
"""
